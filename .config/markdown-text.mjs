/** Markdown files as modules with their text, for the build and for the tests: the topics of help are pages of the guide. */
export const markdownText = {
  name: 'markdown-text',
  transform: {
    filter: { id: /\.md$/ },
    handler: (text) => ({
      code: `export default ${JSON.stringify(text)}`,
      moduleType: 'js',
      map: null,
    }),
  },
}
