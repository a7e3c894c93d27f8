export { chooseFiles, chooseFolder } from './choose-files.ts'
export { filesOfEntries } from './picked-files.ts'
