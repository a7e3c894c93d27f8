import type {} from '@atcute/lexicons';
import * as v from '@atcute/lexicons/validations';
import type {} from '@atcute/lexicons/ambient';
import * as PlaceSitehostFs from "./fs.ts";

const _mainSchema = /*#__PURE__*/ v.record(
  /*#__PURE__*/ v.tidString(),
  /*#__PURE__*/ v.object(
    {
      "$type": /*#__PURE__*/ v.literal("place.sitehost.version"),
      /**
       * Name of a preview, such as 'pr-12': lower-case letters, digits and single hyphens inside. The newest preview with an alias has its address.
       * @minLength 3
       * @maxLength 35
       */
      "alias": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.constrain(
        /*#__PURE__*/ v.string(),
        [/*#__PURE__*/ v.stringLength(3, 35)]
      )),
      /**
       * Size of all files together, neither compressed nor in base64.
       * @minimum 0
       */
      "bytes": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.integer()),
      "createdAt": /*#__PURE__*/ v.datetimeString(),
      /**
       * When a preview ends.
       */
      "expiresAt": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.datetimeString()),
      /**
       * Number of all files, those in place.sitehost.subfs records included.
       * @minimum 0
       */
      "fileCount": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.integer()),
      /**
       * CID of the place.sitehost.fs record with this tree; absent when the version was never live.
       */
      "manifest": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.cidString()),
      /**
       * What the owner says about the version.
       * @maxLength 3000
       * @maxGraphemes 300
       */
      "message": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.constrain(
        /*#__PURE__*/ v.string(),
        [/*#__PURE__*/ v.stringLength(0, 3000), /*#__PURE__*/ v.stringGraphemes(0, 300)]
      )),
      /**
       * True: kept however many newer versions there are.
       */
      "pinned": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.boolean()),
      /**
       * The whole tree; its parts are place.sitehost.subfs records, which versions share.
       */
      get "root"() {
        return PlaceSitehostFs.directorySchema
      },
      /**
       * The site's place.sitehost.settings record of that moment; absent when there was none.
       */
      "settings": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.unknown()),
      /**
       * Name of the site: the key of its place.sitehost.fs record.
       */
      "site": /*#__PURE__*/ v.string(),
      get "source"() {
        return /*#__PURE__*/ v.optional(sourceSchema)
      },
    }
  )
);
const _sourceSchema = /*#__PURE__*/ v.object(
  {
    "$type": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.literal("place.sitehost.version#source")),
    /**
     * @maxLength 100
     */
    "commit": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.constrain(
      /*#__PURE__*/ v.string(),
      [/*#__PURE__*/ v.stringLength(0, 100)]
    )),
    /**
     * A branch or a tag.
     * @maxLength 500
     */
    "ref": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.constrain(
      /*#__PURE__*/ v.string(),
      [/*#__PURE__*/ v.stringLength(0, 500)]
    )),
    /**
     * @maxLength 500
     */
    "repository": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.constrain(
      /*#__PURE__*/ v.string(),
      [/*#__PURE__*/ v.stringLength(0, 500)]
    )),
    /**
     * Page about this build or commit, at http or https.
     * @maxLength 2000
     */
    "url": /*#__PURE__*/ v.optional(/*#__PURE__*/ v.constrain(
      /*#__PURE__*/ v.genericUriString(),
      [/*#__PURE__*/ v.stringLength(0, 2000)]
    )),
  }
);
type main$schematype = typeof _mainSchema;
type source$schematype = typeof _sourceSchema;

export interface mainSchema extends main$schematype {}

export interface sourceSchema extends source$schematype {}
export const mainSchema = _mainSchema as mainSchema;
export const sourceSchema = _sourceSchema as sourceSchema;

export interface Main extends v.InferInput<typeof mainSchema> {}

export interface Source extends v.InferInput<typeof sourceSchema> {}
declare module '@atcute/lexicons/ambient' {
  interface Records {
    "place.sitehost.version": mainSchema;
  }
}
