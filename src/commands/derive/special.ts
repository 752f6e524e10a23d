/** What a command written by hand says, laid over what its endpoints make. */
import type { Command, Flag, Special } from '../types.js'

/** Of a derived flag, whether the special's `names` mean it: by the API's name, or the flag's own. */
const means = (names: readonly string[] | undefined, flag: Flag): boolean =>
  names?.includes(flag.parameter ?? flag.name) === true

/** The flags that only the tool knows. */
const ownFlags = (special: Special): Flag[] =>
  Object.entries(special.flags ?? {}).map(([name, param]) => ({
    name,
    param,
    required: param.required === true,
    parameter: param.parameter,
    short: param.short,
    ...(param.optionalValue === true ? { optionalValue: true as const } : {}),
    ...(param.pair === true ? { pair: true as const } : {}),
  }))

/** The derived flags that a command keeps. */
const keptFlags = (flags: readonly Flag[], special: Special): Flag[] => {
  const { without, fills } = special
  const dropped = (flag: Flag): boolean =>
    without === 'attributes' ? flag.path !== true : means(without, flag)
  return flags
    .filter((flag) => !dropped(flag) && special.flags?.[flag.name] === undefined)
    .map((flag) => (means(fills, flag) ? { ...flag, required: false } : flag))
}

/** A derived command with all that its special says. */
export const withSpecial = (command: Command, special: Special): Command => {
  const { flags: _, without: __, fills: ___, endpoints: ____, ...said } = special
  return {
    ...command,
    ...said,
    flags: [...keptFlags(command.flags, special), ...ownFlags(special)],
  }
}
