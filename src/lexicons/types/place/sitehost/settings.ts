import type {} from '@atcute/lexicons';
import * as v from '@atcute/lexicons/validations';
import type {} from '@atcute/lexicons/ambient';

const _headerSchema = /*#__PURE__*/ v.object(
  {
    "$type": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.literal("place.sitehost.settings#header")),
    /**
     * @maxLength 100
     */
    "name": /*#__PURE__*/ v.constrain(
      /*#__PURE__*/ v.string(),
      [/*#__PURE__*/ v.stringLength(0, 100)]
    ),
    /**
     * Pattern of the paths that get the header; without this field all of them.
     * @maxLength 500
     */
    "path": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.constrain(
      /*#__PURE__*/ v.string(),
      [/*#__PURE__*/ v.stringLength(0, 500)]
    )),
    /**
     * @maxLength 1000
     */
    "value": /*#__PURE__*/ v.constrain(
      /*#__PURE__*/ v.string(),
      [/*#__PURE__*/ v.stringLength(0, 1000)]
    ),
  }
);
const _historySchema = /*#__PURE__*/ v.object(
  {
    "$type": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.literal("place.sitehost.settings#history")),
    /**
     * How many of the newest versions; 0: none. Without this field 10.
     * @minimum 0
     * @maximum 50
     */
    "keep": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.constrain(
      /*#__PURE__*/ v.integer(),
      [/*#__PURE__*/ v.integerRange(0, 50)]
    )),
  }
);
const _mainSchema = /*#__PURE__*/ v.record(
  /*#__PURE__*/ v.string(),
  /*#__PURE__*/ v.object(
    {
      "$type": /*#__PURE__*/ v.literal("place.sitehost.settings"),
      /**
       * Serve 'about.html' at '/about'.
       */
      "cleanUrls": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.boolean()),
      /**
       * Path of the file that answers, with status 404, for what does not exist.
       * @maxLength 500
       */
      "custom404": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.constrain(
        /*#__PURE__*/ v.string(),
        [/*#__PURE__*/ v.stringLength(0, 500)]
      )),
      /**
       * List the files of a directory that has no index file.
       */
      "directoryListing": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.boolean()),
      /**
       * Response headers to add.
       * @maxLength 50
       */
      get "headers"() {
        return /*#__PURE__*/ v.optional(/*#__PURE__*/ v.constrain(
          /*#__PURE__*/ v.array(headerSchema),
          [/*#__PURE__*/ v.arrayLength(0, 50)]
        ))
      },
      get "history"() {
        return /*#__PURE__*/ v.optional(historySchema)
      },
      /**
       * File names that stand for their directory, the first that exists; without this field 'index.html'.
       * @maxLength 10
       */
      "indexFiles": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.constrain(
        /*#__PURE__*/ v.array(/*#__PURE__*/ v.constrain(
          /*#__PURE__*/ v.string(),
          [/*#__PURE__*/ v.stringLength(0, 255)]
        )),
        [/*#__PURE__*/ v.arrayLength(0, 10)]
      )),
      /**
       * Path of the file that answers, with status 200, for every page that does not exist.
       * @maxLength 500
       */
      "spaMode": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.constrain(
        /*#__PURE__*/ v.string(),
        [/*#__PURE__*/ v.stringLength(0, 500)]
      )),
      /**
       * With cleanUrls: which addresses end in a slash; without this field 'auto', those of directories.
       */
      "trailingSlash": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.literalEnum([
        "always",
        "auto",
        "never"
      ])),
    }
  )
);
type header$schematype = typeof _headerSchema;
type history$schematype = typeof _historySchema;
type main$schematype = typeof _mainSchema;

export interface headerSchema extends header$schematype {}

export interface historySchema extends history$schematype {}

export interface mainSchema extends main$schematype {}
export const headerSchema = _headerSchema as headerSchema;
export const historySchema = _historySchema as historySchema;
export const mainSchema = _mainSchema as mainSchema;

export interface Header extends v.InferInput<typeof headerSchema> {}

export interface History extends v.InferInput<typeof historySchema> {}

export interface Main extends v.InferInput<typeof mainSchema> {}
declare module '@atcute/lexicons/ambient' {
  interface Records {
    "place.sitehost.settings": mainSchema;
  }
}
