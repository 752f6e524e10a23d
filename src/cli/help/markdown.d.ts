/** The text of a page of the guide: `.config/markdown-text.mjs` makes a module of it. */
declare module '*.md' {
  const text: string
  export default text
}
