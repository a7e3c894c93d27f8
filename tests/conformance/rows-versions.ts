import { aTime, like } from './like.ts'
import type { Row } from './row.ts'

const failed = (error: string) => ({ success: false, error })
const siteNotFound = { status: 404, body: failed('Site not found') }
const versionNotFound = { status: 404, body: failed('This site has no such version.') }

const ofBlog = { section: 'ours', by: 'alice' } as const
const changes = { ...ofBlog, route: 'GET /api/site/:rkey/versions/:id/changes' } as const
const files = { ...ofBlog, route: 'GET /api/site/:rkey/versions/:id/files' } as const
const content = { ...ofBlog, route: 'GET /api/site/:rkey/versions/:id/content' } as const
const archive = { ...ofBlog, route: 'GET /api/site/:rkey/versions/:id/archive' } as const

const list = { ...ofBlog, route: 'GET /api/site/:rkey/versions' } as const
const change = { ...ofBlog, route: 'PATCH /api/site/:rkey/versions/:id' } as const
const restore = { ...ofBlog, route: 'POST /api/site/:rkey/versions/:id/restore' } as const
const forget = { ...ofBlog, route: 'DELETE /api/site/:rkey/versions/:id' } as const

const versionOfBlog = {
  ...{ id: like('.+'), uri: like('at://{alice}/place\\.sitehost\\.(fs/blog|version/.+)') },
  ...{ state: 'live', createdAt: aTime, publishedAt: aTime },
  ...{ fileCount: 1, bytes: 13, message: null, source: null, alias: null, pinned: false },
  ...{ expiresAt: null, previewUrl: null, problems: [], by: like('owner|other-program') },
  url: like('http://[sv]--[a-z2-7]{26}\\.{base}:\\d+/'),
}

const bringOver = { ...ofBlog, route: 'POST /api/user/foreign-sites/bring-over' } as const

/** What a site has been (docs/http-api.md, "Versions"), and sites of other networks. */
export const versionRows: readonly Row[] = [
  {
    ...ofBlog,
    route: 'GET /api/user/foreign-sites',
    what: 'an account that has none',
    path: '/api/user/foreign-sites',
    status: 200,
    body: { sites: [] },
  },
  {
    ...bringOver,
    what: 'a site that is not there',
    path: '/api/user/foreign-sites/bring-over',
    json: { name: 'place.wisp.fs/nowhere' },
    ...siteNotFound,
  },
  {
    ...bringOver,
    what: 'a site of ours',
    path: '/api/user/foreign-sites/bring-over',
    json: { name: 'blog' },
    ...siteNotFound,
  },
  {
    ...bringOver,
    what: 'a name that no site has',
    path: '/api/user/foreign-sites/bring-over',
    json: { name: 'place.wisp.fs/nowhere', rkey: 'a/b' },
    status: 400,
    body: failed('rkey: 1 to 512 letters, digits or . _ ~ : - and not a dot or two dots'),
  },
  {
    ...list,
    what: 'a site of another network',
    path: '/api/site/place.wisp.fs%2Fblog/versions',
    status: 404,
    body: failed(
      'This site belongs to another network and can only be read here. Bring it over to change it here.',
    ),
  },
  {
    ...list,
    what: 'a page, newest first',
    path: '/api/site/blog/versions',
    status: 200,
    body: {
      versions: [versionOfBlog],
      cursor: null,
    },
  },
  {
    ...list,
    what: 'a cursor that this list has not answered with',
    path: '/api/site/blog/versions?cursor=x',
    status: 400,
    body: failed('cursor: expected one that this list has answered with'),
  },
  {
    ...list,
    what: 'a site that is not there',
    path: '/api/site/nowhere/versions',
    ...siteNotFound,
  },
  {
    ...change,
    what: 'what is live',
    path: '/api/site/blog/versions/live',
    json: { pinned: true },
    status: 200,
    body: { ...versionOfBlog, by: 'owner', pinned: true },
  },
  {
    ...change,
    what: 'a version that is not there',
    path: '/api/site/blog/versions/2222222222222',
    json: { pinned: true },
    ...versionNotFound,
  },
  {
    ...change,
    what: 'a site that is not there',
    path: '/api/site/nowhere/versions/2222222222222',
    json: { pinned: true },
    ...siteNotFound,
  },
  {
    ...ofBlog,
    route: 'DELETE /api/site/:rkey/previews/:alias',
    what: 'previews that are not there',
    path: '/api/site/blog/previews/pr-12',
    status: 200,
    body: { success: true, removed: { records: [], blobs: 0, bytes: 0 } },
  },
  {
    ...ofBlog,
    route: 'DELETE /api/site/:rkey/previews/:alias',
    what: 'what no site can be called',
    path: '/api/site/a%2Fb/previews/pr-12',
    status: 404,
    body: { error: 'Site not found' },
  },
  {
    ...changes,
    what: 'none between what is live and itself',
    path: '/api/site/blog/versions/live/changes?against=live',
    status: 200,
    body: { added: [], changed: [], removed: [], settings: [] },
  },
  {
    ...files,
    what: 'the files of what is live',
    path: '/api/site/blog/versions/live/files',
    status: 200,
    body: {
      files: [
        {
          path: 'index.html',
          bytes: 13,
          mediaType: like('text/html.*'),
          url: like('http://s--[a-z2-7]{26}\\.{base}:\\d+/index\\.html'),
        },
      ],
    },
  },
  {
    ...content,
    what: 'no file',
    path: '/api/site/blog/versions/live/content',
    status: 400,
    body: failed('path: expected a string'),
  },
  {
    ...content,
    what: 'one file of what is live, as a download',
    path: '/api/site/blog/versions/live/content?path=index.html',
    status: 200,
    body: like('<h1>.*'),
    answerHeaders: {
      'content-type': 'application/octet-stream',
      'content-disposition': "attachment; filename*=UTF-8''index.html",
      'x-content-type-options': 'nosniff',
    },
  },
  {
    ...content,
    what: 'a file that is not there',
    path: '/api/site/blog/versions/live/content?path=nothing.html',
    status: 404,
    body: failed('This version has no such file.'),
  },
  {
    ...archive,
    what: 'a zip of what is live',
    path: '/api/site/blog/versions/live/archive',
    status: 200,
    body: like('PK[^]*index\\.html[^]*PK[^]*'),
    answerHeaders: {
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="blog-live.zip"',
    },
  },
  {
    ...restore,
    what: 'a version of a site that is being published',
    given: async (scene) => {
      await scene.publish('alice', 'under-way')
      await scene.running('alice', 'under-way')
    },
    path: '/api/site/under-way/versions/live/restore',
    status: 409,
    body: failed('This site is being published already. Wait until that has finished.'),
  },
  {
    ...forget,
    what: 'the live version',
    path: '/api/site/blog/versions/live',
    status: 409,
    body: failed('This version is live. Make another one live first, or delete the site.'),
  },
  {
    ...forget,
    what: 'a version of a site that is being published',
    given: async (scene) => {
      await scene.publish('alice', 'under-way')
      await scene.running('alice', 'under-way')
    },
    path: '/api/site/under-way/versions/live',
    status: 409,
    body: failed('This site is being published. Wait until that has finished, or cancel it.'),
  },
  ...[changes, files, content, archive, restore, forget].flatMap((route): Row[] => {
    const end = route.route.split('/:id')[1] + (route === content ? '?path=index.html' : '')
    return [
      {
        ...route,
        what: 'a version that is not there',
        path: `/api/site/blog/versions/other-x${end}`,
        ...versionNotFound,
      },
      {
        ...route,
        what: 'a site that is not there',
        path: `/api/site/nowhere/versions/live${end}`,
        ...siteNotFound,
      },
    ]
  }),
]
