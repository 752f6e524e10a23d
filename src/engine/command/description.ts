/** Types that describe a command, and the types of what a line asks of it. */
import type { Fields, JsonValues } from '../../base/objects.js'
import type { Endpoint, Endpoints } from '../../catalogue/endpoint.js'
import type { FormatName } from '../../catalogue/formats.js'
import type { Param } from '../../catalogue/params.js'
import type { ComputedFields } from '../../catalogue/pick.js'
import type { Naming } from '../../catalogue/words.js'
import type { Failure } from '../../errors.js'
import type { Ask, WireRequest } from '../../http/types.js'
import type { KnownNames } from '../../profile/known.js'

/** A positional argument of a command. */
export interface Argument {
  readonly name: string
  readonly required: boolean
  readonly variadic: boolean
  readonly help: string
  /** The API parameter it fills, by the API's own name. */
  readonly parameter?: string
  readonly param?: Param
  /** A file: shells complete it, and `-` is its text from standard input, no list of objects. */
  readonly file?: true
  /** It may be a file among other things, such as a journal by its ID or by its file. */
  readonly mayBeFile?: true
  /**
   * Suggests values for completion, if no parameter names any.
   * @param before the arguments before it
   * @param current the part of it that was typed
   * @param naming the instance's own names of fields, if a vocabulary has any
   * @param more fields that the instance was seen to have beyond the documents
   */
  readonly values?: (
    before: readonly string[],
    current: string,
    naming?: Naming,
    more?: readonly string[],
  ) => Promise<readonly Suggestion[]>
}

/** A value with what it is, where that needs saying. */
export interface Suggestion {
  readonly value: string
  readonly text?: string
}

/** A flag of a command: a parameter of an endpoint, or one that only the tool knows. */
export interface Flag {
  /** Kebab-case, without dashes. */
  readonly name: string
  readonly param: Param
  /** The API parameter it fills; absent on the tool's own flags. */
  readonly parameter?: string
  readonly short?: string
  /** The instance's own names of the flag, if a vocabulary has any: they are accepted like its name. */
  readonly own?: readonly string[]
  /** Other spellings that are accepted and not shown. */
  readonly aliases?: readonly string[]
  readonly required: boolean
  /** Fills a placeholder of the path. */
  readonly path?: true
  /** Picks an endpoint among those of the command. */
  readonly selects?: true
  /** Goes past the catalogue (`--param`, `--input`): never a value of its own. */
  readonly beyond?: true
  /** Runs the command again and again: only for those that may be repeated. */
  readonly repeats?: true
  readonly hidden?: boolean
  /** A value may be left out (`--watch [seconds]`). */
  readonly optionalValue?: true
  /** A boolean that is on by itself: only `--no-…` is shown, with this text. */
  readonly refusal?: string
  /** The value that `--no-…` stands for, where the flag is no boolean. */
  readonly refusedValue?: string
  /** Other words for its values that are accepted and not shown. */
  readonly spellings?: Readonly<Record<string, string>>
  readonly group?: FlagGroup
}
/** `site`: settings of the instance at hand that no document names. */
export type FlagGroup = 'command' | 'many' | 'site' | 'paging' | 'instance' | 'output'

/** The arguments and flags of a line, parsed and checked, before an endpoint is chosen. */
export interface Given {
  /** Texts given by position, in order; `-` already replaced by the lines of standard input. */
  readonly args: readonly string[]
  /** Parsed values of the flags that were given, by flag name. */
  readonly flags: JsonValues
  /** `--param`: name → value. */
  readonly extra: Readonly<Record<string, string | readonly string[]>>
  /** `--input`: attributes by API name. */
  readonly input?: JsonValues
  /** The instance's own names of fields, if a vocabulary has any. */
  readonly naming?: Naming
  /** The attributes of each argument, where rows bring them along. */
  readonly rows?: readonly (JsonValues | undefined)[]
  /** The places in standard input of the arguments that came from there, by their texts. */
  readonly places?: ReadonlyMap<string, string>
  /** The line names several projects or groups: what is done is done in each of them. */
  readonly several?: true
  /** In the place of arguments. */
  readonly stream?: ObjectStream
}

/** An object by the text that names it. */
export interface NamedObject {
  readonly text: string
  /** The name of the parent that it came with, as in `ObjectStream.below`. */
  readonly parent?: string
  /** The fields that a run may change, as its record had them when it was selected. */
  readonly before?: Fields
  /** Its own attributes, where its row brings them along. */
  readonly row?: JsonValues
  /** Its place in standard input: `line 3`. */
  readonly place?: string
}

/** Objects that are taken as they come. */
export interface ObjectStream {
  readonly objects: AsyncIterable<NamedObject>
  /** The column that names what each object belongs to, if the objects come with that. */
  readonly below?: Parent['column']
  /** Flags that their rows may say. */
  readonly rowFlags?: readonly string[]
  /** Their input ends at once: all of them are checked before the first is worked on. */
  readonly whole?: boolean
  /** Confirms objects that the line does not name, once their number is known and before the first is worked on. */
  readonly confirm?: (count: number) => Promise<void>
}

/** The project, group or other object that objects belong to, if a command was given several of them. */
export interface Parent {
  /** The column of answers that names it. */
  readonly column: 'project' | 'group' | 'of'
  readonly name: string
}

/** A column that names a target of a line: an instance or snapshot, or what objects belong to. */
export type TargetColumn = 'profile' | 'snapshot' | Parent['column']

/** One call that a command decided on: which endpoint, with which values. */
export interface Plan extends Ask {
  readonly key: string
  /** The name of the object in notes and outcomes (`42`, `platform/app!42`). */
  readonly label?: string
  /** The name of the object in a journal, if the label has more words. */
  readonly object?: string
  /** The kind of that, where the endpoint does not name it: one that makes it. */
  readonly kind?: string | undefined
  /** The parent of the object, if there are several parents. */
  readonly parent?: Parent
  /** The values that came from the object's row of standard input. */
  readonly row?: JsonValues
  /** Its record, where planning read that already. */
  readonly record?: unknown
  /** Why it is not sent: what became of its object. */
  readonly refused?: Failure
  /** The request itself, where no endpoint of the catalogue makes it. */
  readonly request?: WireRequest
  /** The documented endpoint by whose credential that goes. */
  readonly called?: Endpoint
}

/** Plans that are made as their objects come: nothing is known of the next before the one before it is taken. */
export interface PlanSource extends Pick<ObjectStream, 'confirm'> {
  readonly objects: AsyncIterable<GivenObject>
  /** The plan of an object, which a journal may name. */
  planOf(object: GivenObject): Promise<Plan>
  /** All of them are there before the first is worked on. */
  readonly whole?: boolean
  /** The number of objects that may be planned at once. */
  readonly width?: number
  /** The number of all objects and the first of them, if these are known before the objects come. */
  readonly known?: { readonly count: number; readonly first: readonly GivenObject[] }
}

/** An object by what it is called, and what it belongs to. */
interface GivenObject {
  readonly object: string
  readonly parent?: string
  readonly before?: Fields | null
  readonly row?: Fields
  readonly place?: string | undefined
}

/** Arguments and flags of a line, before any of them is understood. */
interface TypedWords {
  readonly args: readonly string[]
  readonly flags: ReadonlyMap<string, readonly string[]>
}

/** The traits of a command that no endpoint implies. */
export interface CommandTraits {
  /** Takes --param and --input though it reaches no endpoint of the catalogue. */
  readonly open?: true
  /** Puts what a line says in another form in its usual one: the method of a request by a flag. */
  readonly arrange?: (typed: TypedWords) => TypedWords
  /** The format of its answers where the line names none; what a variable or a profile names is not for it. */
  readonly usualFormat?: FormatName
  /** Goes on until it is interrupted: its output is shown at once, without a pager. */
  readonly longRunning?: true
  /** Goes on until something else is over, whatever its flags say. */
  readonly waits?: true
  /** Writes, though it reaches no endpoint of its own: --dry-run tries it. */
  readonly writes?: true
  /** It only looks: nothing but GET and HEAD is sent for it, and --curl has no one request to show. */
  readonly readOnly?: true
  /** Its answer is one document about one instance: it takes a single profile. */
  readonly single?: true
  /** It may be repeated (--watch) though it reaches no endpoint of its own. */
  readonly watches?: true
  /** It can be answered from a snapshot (--from) though it lists nothing. */
  readonly snapshots?: true
  /** Needs all its objects before its first request. */
  readonly gathers?: true
  /** Of several projects or groups it is run once for each: it asks the instance by itself. */
  readonly eachParent?: true
  /** Keeps a journal of its own, and goes on with its runs by itself. */
  readonly ownJournal?: true
  /** Fields that its tables show beside those of the API's records; every format selects them. */
  readonly computedFields?: ComputedFields
  /** The columns that name the targets of its line, if the line has several; they win over fields of that name. */
  readonly targetColumns?: readonly TargetColumn[]
  /** Fields that the instance at hand was seen to have beyond the documents; read only where a line has such a name. */
  readonly instanceFields?: readonly string[]
  /** The names that its instance was seen to have beyond the documents, if there are any. */
  readonly known?: KnownNames
  /** Fields of rows of its own, which are those of no endpoint's answer. */
  readonly shows?: readonly string[]
}

/** A command without what it does. */
export interface CommandFacts extends CommandTraits {
  readonly area: string
  /** The words after the area: `list`, `rules get`. Empty for `doctor`, `commands` … */
  readonly words: string
  readonly summary: string
  readonly description?: readonly string[]
  readonly args: readonly Argument[]
  readonly flags: readonly Flag[]
  /** The own names that its instance has for fields, if a vocabulary has any. */
  readonly naming?: Naming
  /** Endpoints it reaches, by key of the area. */
  readonly endpoints: Endpoints
  readonly examples?: readonly string[]
}

/** The origin of a run: who made it, on which instance, and with which version of the tool. */
export interface RunOrigin {
  /** The base URL; `sandbox:` and a folder for an embedded one. */
  readonly instance: string
  /** Null where the instance does not say. */
  readonly user: string | null
  readonly sudo: string | null
  /** Of the tool. */
  readonly version: string
  readonly profile: string | null
}
