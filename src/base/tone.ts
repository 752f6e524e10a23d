/** What a coloured word says; the colours are those of every terminal, on light and dark. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'quiet'
