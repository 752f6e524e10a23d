/** Starts programs, each with an environment that contains no credential of the tool. No other module starts programs. */
import type { ChildProcess, ExecFileException, SpawnOptions } from 'node:child_process'
import type { Writable } from 'node:stream'
import type { Options } from 'execa'
import { isSecret } from './secrets/mask.js'
import { isSecretName } from './secrets/names.js'

// The environment of started programs, which never contains a credential of the tool.

type ChildEnvironment = Readonly<Record<string, string | undefined>>

/**
 * The kind of a program that is started. `bare` is a program that its surroundings must not influence, such as the git of the embedded
 * instance. `tool` is started by the tool itself: git, a pager, a browser. `own` is a program that the person named: a token command, the
 * command of a secret, `--resume-after`.
 */
type ProgramKind = 'bare' | 'tool' | 'own'

/** The variables without which no program can be started. */
const requiredNames = /^(?:PATH|PATHEXT|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|TMPDIR|TMP|TEMP)$/i

/** The variables that describe the user, the language, the terminal and the screen, and settings of such programs. */
const harmless: readonly RegExp[] = [
  /^(?:HOME|USER|LOGNAME|SHELL|TZ|LANG|LANGUAGE|LC_\w+)$/,
  /^(?:USERNAME|USERPROFILE|HOMEDRIVE|HOMEPATH|(?:LOCAL)?APPDATA|PROGRAM(?:DATA|FILES(?:\(X86\))?))$/i,
  /^(?:TERM|TERM_PROGRAM\w*|TERMINFO\w*|COLORTERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR\w*)$/,
  /^(?:LESS\w*|LV|MORE|MOST_\w+|BAT_\w+|EDITOR|VISUAL|PAGER|BROWSER)$/,
  /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM)$/,
  /^(?:DISPLAY|XAUTHORITY|XDG_\w+|WAYLAND_\w+|DBUS_SESSION_BUS_ADDRESS|DESKTOP_SESSION|SWAYSOCK|I3SOCK)$/,
  /^(?:GNOME|GTK|GDK|KDE|QT|MOZ|HYPRLAND)_\w+$/,
  /^(?:WSL_DISTRO_NAME|WSL_INTEROP|WSLENV)$/,
  /^(?:https?|all|no)_proxy$/i,
]

/** True for variables with credentials that this program itself reads. */
const isOwnCredential = (name: string): boolean =>
  name === 'CI_JOB_TOKEN' || (name.startsWith('SVC_') && isSecretName(name))

/** The minimum length of a credential to search for. Shorter texts would match by chance. */
const minLength = 8

/** Returns the values of our credentials in the environment, to find them under other names as well. */
const listOwnCredentials = (env: ChildEnvironment): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= minLength && isOwnCredential(name) ? [value] : [],
  )

const isProxy = (name: string): boolean => /_proxy$/i.test(name)

/** Removes the user information from a proxy, which may have no scheme. */
const removeUser = (proxy: string): string => proxy.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1')

/** True if a program receives a variable. */
const isPassedOn = (program: ProgramKind, name: string, value: string): boolean => {
  if (program === 'own') return !isOwnCredential(name)
  if (requiredNames.test(name)) return true
  if (program === 'bare' || isSecret(name, isProxy(name) ? '' : value)) return false
  return harmless.some((pattern) => pattern.test(name))
}

/**
 * Builds the environment of a program: it contains none of our credentials, and proxies have no passwords.
 * @param more variables that it receives in addition
 */
const createEnvironment = (
  program: ProgramKind,
  env: ChildEnvironment,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> => {
  const ownCredentials = listOwnCredentials(env)
  const given = Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined || !isPassedOn(program, name, value)) return []
    if (ownCredentials.some((secret) => value.includes(secret))) return []
    return [[name, isProxy(name) ? removeUser(value) : value] as const]
  })
  return { ...Object.fromEntries(given), ...more }
}

/** The kind of a program, and the environment that its own is made from. */
interface ChildOptions {
  readonly as: ProgramKind
  readonly env: ChildEnvironment
}

/** Starts a program that runs alongside. Resolves before it is known whether it could be started. */
export const startProgram = async (
  program: string,
  args: readonly string[],
  { as, env, ...options }: ChildOptions & Omit<SpawnOptions, 'env' | 'shell'>,
): Promise<ChildProcess> => {
  const { spawn } = await import('node:child_process')
  return spawn(program, args, { ...options, env: createEnvironment(as, env) })
}

interface FileOptions extends ChildOptions {
  /** Variables that the program receives in addition. */
  readonly more?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** The time-out in milliseconds. */
  readonly timeout?: number
  readonly input?: string | Buffer
  readonly maxBuffer?: number
}

/** The outcome of a program; `error` is set if it did not end with 0. */
interface FileOutcome {
  readonly error: ExecFileException | null
  readonly stdout: Buffer
  readonly stderr: Buffer
}

/** Runs a program with a small output, and collects the output. */
export const runFile = async (
  program: string,
  args: readonly string[],
  { as, env, more, input = '', ...options }: FileOptions,
): Promise<FileOutcome> => {
  const { execFile } = await import('node:child_process')
  const given = createEnvironment(as, env, more)
  const how = {
    ...options,
    env: given,
    encoding: 'buffer',
    windowsHide: true,
  } as const
  return new Promise((resolve) => {
    const child = execFile(program, args, how, (error, stdout, stderr) =>
      resolve({ error, stdout, stderr }),
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

/** Loads a runner for programs that a person named. They are limited, and end with this process. */
export const loadProgramRunner = async () => {
  const { execa } = await import('execa')
  return <const O extends Options>(
    program: string,
    args: readonly string[],
    env: ChildEnvironment,
    options: O,
  ) =>
    execa(program, args, {
      ...options,
      env: createEnvironment('own', env),
      extendEnv: false,
    } as const)
}

/** Returns the streams of a command that a person named: those of the process, or pipes. */
const createShellStreams = (isPiped: boolean) =>
  isPiped
    ? ({ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' } as const)
    : ({ stdin: 'inherit', stdout: 2, stderr: 'inherit' } as const)

/**
 * Runs a command that a person named in a shell.
 * @param output receives what it prints; undefined for the standard error of the process
 */
export const runShellCommand = async (
  command: string,
  env: ChildEnvironment,
  options: Pick<Options, 'cwd' | 'cancelSignal'>,
  output: Writable | undefined,
) => {
  const start = await loadProgramRunner()
  const streams = createShellStreams(output !== undefined)
  const how = { ...options, ...streams, shell: true, reject: false, buffer: false }
  const child = start(command, [], env, how)
  for (const printed of [child.stdout, child.stderr])
    printed?.on('data', (bytes: Uint8Array) => output?.write(bytes))
  const { exitCode, signal } = await child
  return { exitCode, signal }
}
