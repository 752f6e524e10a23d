/** Text of commands that write their own. */
import type { Text } from '../../../commands/services.js'
import { ownColours } from '../../../output/shown.js'
import type { Streams } from '../screen.js'

/** How text is written for people on this output. */
export const textOf = ({ style, width }: Pick<Streams, 'style' | 'width'>): Text => ({
  accessible: style.accessible,
  safe: style.visible,
  strong: (text) => ownColours(style.bold(style.visible(text))),
  mark: (kind) => ownColours(style.mark(kind)),
  bar: (fraction, columns) => ownColours(style.bar(fraction, columns)),
  hanging: (text, indent) =>
    style.wrap(style.visible(text), width - indent).join(`\n${' '.repeat(indent)}`),
})
