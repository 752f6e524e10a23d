/** The person of a run in which nothing is written: a secret need not be typed for it. */
import { Attendant } from './attendant.js'

/** A secret's place is taken by its name. */
export class Unasked extends Attendant {
  override async askSecret(_question: string, name: string): Promise<string> {
    return `<${name}>`
  }
}
