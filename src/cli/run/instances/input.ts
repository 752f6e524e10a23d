/** Standard input for several instances: read once, given to each. */
import { StandardInput } from '../input.js'

/** What one of them sees of it; it is not theirs to close. */
class Copied extends StandardInput {
  override readonly text: () => Promise<string>

  constructor(whole: StandardInput) {
    super()
    this.text = whole.text
  }

  override head(): Promise<string> {
    return this.text()
  }

  override async *chunks(): AsyncGenerator<string> {
    yield await this.text()
  }

  override close(): void {}
}

/** Standard input, as each instance gets it. */
export const inputForEach = (whole: StandardInput) => (): StandardInput => new Copied(whole)
