// What the app uses although not all browsers within the line have it (`docs/browsers.md`), and where it does without it.

/** Keys by the place of the check, or by the effect where it is missing. */
export const allowed: Readonly<Record<string, readonly string[]>> = {
  'widely available since 2026-10-16, after the data were made; `web/too-old.ts` asks for it': [
    'api.HTMLElement.showPopover',
    'api.HTMLElement.hidePopover',
    'html.global_attributes.popover',
    'html.elements.button.popovertarget',
    'css.selectors.popover-open',
    'javascript.builtins.Intl.Segmenter',
  ],
  '`chunksOf` in `open-archive.ts` is iterated over, not a stream': [
    'api.ReadableStream.@@asyncIterator',
  ],
  'React asks for it before it uses it, and the app has no view transitions of React': [
    'api.Navigator.connection',
    'api.Window.navigation',
    'api.Navigation.navigate_event',
    'api.Navigation.navigateerror_event',
    'api.Navigation.navigatesuccess_event',
    'api.Document.startViewTransition',
  ],
  'uPlot, on the administrators’ pages, draws text in Safari before 18.4 without newer units of its font':
    ['api.CanvasRenderingContext2D.font'],
  '@noble/hashes asks for both before it calls one': [
    'javascript.builtins.Uint8Array.fromHex',
    'javascript.builtins.Uint8Array.toHex',
  ],
  'the attribute means nothing where it is missing: a plain field, no suggestions, files instead of a folder':
    [
      'html.global_attributes.autocapitalize',
      'html.global_attributes.autocorrect',
      'html.elements.datalist',
      'html.elements.input.webkitdirectory',
      'html.elements.link.rel.manifest',
      'html.elements.meta.name.theme-color',
    ],
  'all computers have it; some phones do not: windows, the question on leaving, the pixel ratio, the mouse':
    [
      'api.Window.beforeunload_event',
      'api.MouseEvent.movementX',
      'api.MouseEvent.movementY',
      'api.Window.devicePixelRatio',
      'api.Window.open',
    ],
  'the declaration is dropped: it looks a little different': [
    'css.at-rules.font-face.ascent-override',
    'css.at-rules.font-face.descent-override',
    'css.at-rules.font-face.line-gap-override',
    'css.properties.accent-color',
    'css.properties.content-visibility',
    'css.properties.content-visibility.auto',
    'css.properties.cursor.default',
    'css.properties.cursor.pointer',
    'css.properties.resize',
    'css.properties.scrollbar-width',
    'css.properties.scrollbar-width.none',
    'css.properties.text-size-adjust',
    'css.properties.text-wrap.balance',
    'css.properties.text-wrap.pretty',
    'css.properties.user-select',
    'css.properties.user-select.none',
    'css.selectors.selection',
  ],
}

/** Features whose names the program gives to members of its own objects, which it may call. */
export const calledOwn = [
  'api.EventTarget.when',
  'api.RTCIceCandidate.address',
  'javascript.builtins.ArrayBuffer.detached',
  'javascript.builtins.RegExp.compile',
  'javascript.builtins.String.sub',
  'html.global_attributes.is',
]

/** The same, only read: `file.bytes` is a number, but `file.bytes()` would be a call of the feature. */
export const readOwn = [
  'api.ElementInternals.states',
  'api.HTMLButtonElement.command',
  'api.HTMLElement.popover',
  'api.HTMLInputElement.capture',
  'api.HTMLTableElement.border',
  'api.HTMLTableElement.frame',
  'api.HTMLTableElement.summary',
  'api.IntersectionObserver.delay',
  'api.Navigator.share',
  'api.Performance.navigation',
  'api.RTCIceCandidate.priority',
  'api.Request.bytes',
  'api.ScreenOrientation.lock',
  'api.ServiceWorkerRegistration.sync',
  'api.SVGMarkerElement.orient',
  'javascript.builtins.Iterator.drop',
  'javascript.builtins.Iterator.take',
  'javascript.builtins.String.link',
]
