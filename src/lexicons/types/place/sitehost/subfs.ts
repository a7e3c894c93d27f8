import type {} from '@atcute/lexicons';
import * as v from '@atcute/lexicons/validations';
import type {} from '@atcute/lexicons/ambient';
import * as PlaceSitehostFs from "./fs.ts";

const _mainSchema = /*#__PURE__*/ v.record(
  /*#__PURE__*/ v.string(),
  /*#__PURE__*/ v.object(
    {
      "$type": /*#__PURE__*/ v.literal("place.sitehost.subfs"),
      "createdAt": /*#__PURE__*/ v.datetimeString(),
      /**
       * Number of all files of this part, those in parts of it included.
       * @minimum 0
       * @maximum 1000
       */
      "fileCount": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.constrain(
        /*#__PURE__*/ v.integer(),
        [/*#__PURE__*/ v.integerRange(0, 1000)]
      )),
      get "root"() {
        return PlaceSitehostFs.directorySchema
      },
    }
  )
);
type main$schematype = typeof _mainSchema;

export interface mainSchema extends main$schematype {}
export const mainSchema = _mainSchema as mainSchema;

export interface Main extends v.InferInput<typeof mainSchema> {}
declare module '@atcute/lexicons/ambient' {
  interface Records {
    "place.sitehost.subfs": mainSchema;
  }
}
