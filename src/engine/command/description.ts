/** The types that describe a command, its flags and arguments, and the parsed line. */
import type { Io } from '../../base/io.js'
import type { JsonValues } from '../../base/objects.js'
import type { Endpoint, Endpoints } from '../../catalogue/endpoint.js'
import type { FormatName } from '../../catalogue/formats.js'
import type { Param } from '../../catalogue/params.js'
import type { ComputedFields } from '../../catalogue/pick.js'
import type { Naming, Words } from '../../catalogue/words.js'
import type { Failure } from '../../errors.js'
import type { Ask, WireRequest } from '../../http/types.js'
import type { KnownNames } from '../../profile/known.js'
import type { GivenObject, UndoableItem } from '../work/report.js'

/** A positional argument of a command. */
export interface Argument {
  readonly name: string
  readonly required: boolean
  readonly variadic: boolean
  readonly help: string
  /** The API name of the parameter that it fills. */
  readonly parameter?: string
  readonly param?: Param
  /** True for a file: shells complete its path, and `-` means its text from standard input, not a list of objects. */
  readonly file?: true
  /** True if it may be a file or something else, such as a journal by ID or by path. */
  readonly mayBeFile?: true
  /** Suggests values for completion, if the parameter has none. */
  readonly values?: (typed: TypedPart) => Promise<readonly Suggestion[]>
}

/** The typed part of an argument, and the facts that its completion depends on. */
interface TypedPart {
  /** The arguments before it. */
  readonly before: readonly string[]
  /** The part that is already typed. */
  readonly current: string
  /** The names of fields on the instance. */
  readonly naming: Naming
  /** Undocumented fields that the instance has. */
  readonly instanceFields: readonly string[] | undefined
  readonly io: Io
}

/** A suggested value, with an explanation if it needs one. */
export interface Suggestion {
  readonly value: string
  readonly text?: string
}

/** A flag of a command. It fills a parameter of an endpoint, or only the tool knows it. */
export interface Flag {
  /** Kebab-case, without dashes. */
  readonly name: string
  readonly param: Param
  /** The API name of the parameter that it fills; absent on the tool's own flags. */
  readonly parameter?: string
  readonly short?: string
  /** The instance's own names for the flag, if there is a vocabulary. They are accepted like its name. */
  readonly own?: readonly string[]
  /** Alternative names that are accepted and not shown. */
  readonly aliases?: readonly string[]
  readonly required: boolean
  /** True if it fills a placeholder of the path. */
  readonly path?: true
  /** True if it chooses among the endpoints of the command. */
  readonly selects?: true
  /** True if it adds parameters by name (`--param`, `--input`) and has no parameter of its own. */
  readonly beyond?: true
  /** True if it repeats the command; only commands that can be repeated have it. */
  readonly repeats?: true
  readonly hidden?: boolean
  /** True if the value may be omitted (`--watch [seconds]`). */
  readonly optionalValue?: true
  /** The help of `--no-…`, for a boolean that is on by default; only this form is shown. */
  readonly refusal?: string
  /** The value that `--no-…` sets, if the flag is no boolean. */
  readonly refusedValue?: string
  /** Alternative spellings of values that are accepted and not shown. */
  readonly spellings?: Readonly<Record<string, string>>
  readonly group?: FlagGroup
}
/** The section of a command's help in which a flag is listed. `site` has undocumented settings of the instance. */
export type FlagGroup = 'command' | 'many' | 'site' | 'paging' | 'instance' | 'output'

/** The arguments and flags of a line, parsed and checked, before an endpoint is chosen. */
export interface Given {
  /** The arguments in order; the lines of standard input already replace `-`. */
  readonly args: readonly string[]
  /** The parsed values of the flags that are set, by flag name. */
  readonly flags: JsonValues
  /** Values of `--param` by API name. */
  readonly extra: Readonly<Record<string, string | readonly string[]>>
  /** Attributes from `--input` by API name. */
  readonly input?: JsonValues
  /** The attributes that the rows of standard input have for each argument. */
  readonly rows?: readonly (JsonValues | undefined)[]
  /** The position in standard input of each argument that came from there, by its text. */
  readonly places?: ReadonlyMap<string, string>
  /** True if the line names several projects or groups; the command runs in each of them. */
  readonly several?: true
  /** Objects that arrive while the command runs; they replace the arguments. */
  readonly stream?: ObjectStream
}

/** Objects that are processed as they arrive. */
export interface ObjectStream {
  readonly objects: AsyncIterable<GivenObject>
  /** The column that names the parent of each object, if the objects come with parents. */
  readonly below?: Parent['column']
  /** The flags that the rows may fill. */
  readonly rowFlags?: readonly string[]
  /** True if the input ends at once: all objects are then checked before the first is processed. */
  readonly whole?: boolean
  /** Asks for confirmation of selected objects, when their number is known and before the first is processed. */
  readonly confirm?: (count: number) => Promise<void>
}

/** One of several projects, groups or other objects in which a command runs. */
export interface Parent {
  /** The column that names it in answers. */
  readonly column: 'project' | 'group' | 'of'
  readonly name: string
}

/** A column that names a target of the line: an instance, a snapshot or a parent of objects. */
export type TargetColumn = 'profile' | 'snapshot' | Parent['column']

/** A call that is ready to be sent: an endpoint with values. */
export interface Plan extends Ask {
  /** The name of the object in notes and outcomes (`42`, `platform/app!42`). */
  readonly label?: string
  /** The name of the object in a journal, if it is shorter than the label. */
  readonly object?: string
  /** The kind of the object, if the endpoint does not name it: one that creates it. */
  readonly kind?: string | undefined
  /** The parent of the object, if the line has several parents. */
  readonly parent?: Parent
  /** The values from the object's row of standard input. */
  readonly row?: JsonValues
  /** The change that the plan takes back, if it reverts a run. */
  readonly reverts?: UndoableItem
  /** The object's record, if planning already read it. */
  readonly record?: unknown
  /** The failure that keeps the plan from being sent; it becomes the outcome of the object. */
  readonly refused?: Failure
  /** The request itself, if it is not in the catalogue. */
  readonly request?: WireRequest
  /** The documented endpoint whose credential that request uses. */
  readonly called?: Endpoint
}

/** Plans objects as they arrive: the next object is read only after the plan before it was taken. */
export interface PlanSource extends Pick<ObjectStream, 'confirm'> {
  readonly objects: AsyncIterable<GivenObject>
  /** Plans an object of the input or of a journal. */
  planOf(object: GivenObject): Promise<Plan>
  /** True if all objects are known before the first is processed. */
  readonly whole?: boolean
  /** The maximum number of objects to plan at once. */
  readonly width?: number
  /** The number of objects and the first of them, if they can be read again. */
  readonly known?: {
    readonly count: number
    readonly first: readonly GivenObject[]
    readonly readAgain: () => AsyncIterable<GivenObject>
  }
}

/** The arguments and flags of a line as texts. */
interface TypedWords {
  readonly args: readonly string[]
  readonly flags: ReadonlyMap<string, readonly string[]>
}

/** Traits of a command that cannot be derived from its endpoints. */
export interface CommandTraits {
  /** True if it takes --param and --input although it has no endpoint in the catalogue. */
  readonly open?: true
  /** Rewrites an alternative form of a line to the usual one, such as the method of a request as a flag. */
  readonly arrange?: (typed: TypedWords) => TypedWords
  /** The output format if the line names none. Variables and profiles do not override it. */
  readonly usualFormat?: FormatName
  /** True if its answer is a credential. */
  readonly credential?: true
  /** True if its rows are records of the instance although it has no endpoint: their fields may have the instance’s own names. */
  readonly ownNames?: true
  /** True if it runs until it is interrupted: its output is shown at once, without a pager. */
  readonly longRunning?: true
  /** True if it always waits for something to end, whatever its flags are. */
  readonly waits?: true
  /** True if it writes although it has no endpoint of its own; --dry-run can preview it. */
  readonly writes?: true
  /** True if it sends only GET and HEAD; --curl is not offered, as there is no single request to show. */
  readonly readOnly?: true
  /** True if its answer is one document about one instance: it takes a single profile. */
  readonly single?: true
  /** True if --watch can repeat it although it has no endpoint of its own. */
  readonly watches?: true
  /** True if a snapshot can answer it (--from) although it lists nothing. */
  readonly snapshots?: true
  /** True if it needs all objects before its first request. */
  readonly gathers?: true
  /** True if it runs once for each of several projects or groups, as it sends requests of its own. */
  readonly eachParent?: true
  /** True if it keeps a journal although it has no endpoint of its own. */
  readonly ownJournal?: true
  /** True if it resumes its runs itself. */
  readonly ownResume?: true
  /** Fields that it computes; tables show them beside the API's fields, and every format can select them. */
  readonly computedFields?: ComputedFields
  /** The columns that name the targets of its line, if there are several. They override fields of the same name. */
  readonly targetColumns?: readonly TargetColumn[]
  /** Undocumented fields that the instance has; they are loaded only if the line has an unknown name. */
  readonly instanceFields?: readonly string[]
  /** The undocumented names that its instance has, if any. */
  readonly known?: KnownNames
  /** Fields of its rows that no endpoint returns. */
  readonly shows?: readonly string[]
}

/** Loads the vocabulary of an instance; undefined if it has none. */
export type WordsLoader = () => Promise<Words | undefined>

/** A command without its implementation. */
export interface CommandFacts extends CommandTraits {
  readonly area: string
  /** The words after the area: `list`, `rules get`. Empty for `doctor`, `commands` … */
  readonly words: string
  readonly summary: string
  readonly description?: readonly string[]
  readonly args: readonly Argument[]
  readonly flags: readonly Flag[]
  /** The vocabulary of the instance, whose names the command understands. */
  readonly naming: Words
  /** Its endpoints, by their keys in the area. */
  readonly endpoints: Endpoints
}

/** The flags of a line, and the instance's name by which each was typed. */
export interface SpelledFlags {
  readonly flags: ReadonlyMap<string, unknown>
  readonly own?: ReadonlyMap<string, string>
}

/** The origin of a run: the person, the instance and the version of the tool. */
export interface RunOrigin {
  /** The base URL, or `sandbox:` and a folder for the embedded instance. */
  readonly instance: string
  /** The username; null if the instance does not say. */
  readonly user: string | null
  readonly sudo: string | null
  /** The version of the tool. */
  readonly version: string
  readonly profile: string | null
}
