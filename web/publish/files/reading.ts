export { chooseFiles, chooseFolder } from './choose-files.ts'
export { filesOfEntries, filesOfInput } from './picked-files.ts'
