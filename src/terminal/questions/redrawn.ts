/** The prompts that are used of @inquirer/prompts: the others, with the editor's tables of encodings, stay out of the bundle. */
export { confirm, input, password, search } from '@inquirer/prompts'
