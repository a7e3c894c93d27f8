import { defineLexiconConfig } from '@atcute/lex-cli'

export default defineLexiconConfig({
  formatter: { type: 'kempt', indentWidth: 2, lineWidth: 100, useTabs: false },
  generate: {
    files: ['lexicons/**/*.json'],
    outdir: 'src/lexicons/',
    clean: true,
    modules: { importSuffix: '.ts' },
  },
})
