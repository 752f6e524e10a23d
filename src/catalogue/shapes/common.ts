/** Shapes that several areas share. */
import {
  Array as ArrayOf,
  Boolean as Bool,
  Integer as Int,
  Null,
  Number as Num,
  Object as Obj,
  Optional,
  String as Str,
  type TOptional,
  type TSchema,
  type TSchemaOptions,
  Union,
  Unknown,
  Unsafe,
} from 'typebox'

export { ArrayOf, Bool, Int, Null, Num, Obj, Str, Union, Unknown }

/** A field that may be null. */
export const nullable = <S extends TSchema>(schema: S, options: TSchemaOptions = {}) =>
  Union([schema, Null()], options)
/** Returns the description of a field that has a successor. */
export const deprecated = (successor: string) =>
  ({ description: `deprecated: use ${successor}`, deprecated: true }) as const
/** A field that some answers leave out. Any other is in every answer of its endpoint (`catalogue/README.md`). */
export const maybe = <S extends TSchema>(schema: S) => Optional(schema)
/** Returns the fields, each of which some answers leave out. */
export const maybeAll = <F extends Readonly<Record<string, TSchema>>>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, maybe(field)])) as {
    [N in keyof F]: TOptional<F[N]>
  }
/** A time as the API writes it: ISO 8601. */
export const Timestamp = Str({ format: 'date-time' })
/** A day: YYYY-MM-DD. */
export const Day = Str({ format: 'date' })
/** A string from a known set; instances may send others, so this documents rather than forbids. */
export const Word = <const V extends readonly string[]>(values: V) =>
  Unsafe<V[number] | (string & {})>(Str({ examples: values }))
/** A version: it is compared part by part, 14.6.0 before 14.10.0. */
export const Version = Str({ format: 'version' })
/** A word that has an order, from the least to the greatest; instances may send others. */
export const Level = <const V extends readonly string[]>(levels: V) =>
  Unsafe<V[number] | (string & {})>(
    Str({
      examples: levels,
      'x-levels': Object.fromEntries(levels.map((level, rank) => [level, rank])),
    }),
  )
/** A credential of any kind: masked in tables and traces, whole only with --show-secrets. */
export const Secret = Str({ writeOnly: false, 'x-secret': true })

export const UserSummary = Obj(
  {
    id: Int(),
    name: Str(),
    username: Str(),
    state: Str(),
    avatar_url: nullable(Str()),
    web_url: Str(),
  },
  { title: 'User summary' },
)

/** The long form adds these, all optional. */
export const User = Obj(
  {
    ...UserSummary.properties,
    created_at: maybe(Timestamp),
    bio: maybe(nullable(Str())),
    location: maybe(nullable(Str())),
    public_email: maybe(nullable(Str())),
    skype: maybe(Str()),
    linkedin: maybe(Str()),
    twitter: maybe(Str()),
    website_url: maybe(Str()),
    organization: maybe(nullable(Str())),
  },
  { title: 'User' },
)

export const ProjectSummary = Obj(
  {
    id: Int(),
    name: Str(),
    name_with_namespace: Str(),
    path: Str(),
    path_with_namespace: Str(),
    description: maybe(nullable(Str())),
    created_at: maybe(Timestamp),
  },
  { title: 'Project summary' },
)

export const TimeStats = Obj(
  {
    time_estimate: Int({ description: 'seconds' }),
    total_time_spent: Int({ description: 'seconds' }),
    human_time_estimate: nullable(Str()),
    human_total_time_spent: nullable(Str()),
  },
  { title: 'Time stats' },
)

/** Access levels by number and name. */
export const accessLevels = {
  'no-access': 0,
  minimal: 5,
  guest: 10,
  reporter: 20,
  developer: 30,
  maintainer: 40,
  owner: 50,
} as const

/** The access level of a member, which has a name. */
export const AccessLevel = Int({ 'x-levels': accessLevels })

/** Returns the names for the numbers of a field that no shape knows; undefined where it holds no access level. */
export const findLevelNames = (field: string): typeof accessLevels | undefined =>
  /(^|\.)(\w+_)?access_level$/.test(field) ? accessLevels : undefined

const everywhere = ['guest', 'reporter', 'developer', 'maintainer'] as const
/** The levels that members are given (Owner to groups only). */
export const givenLevels = {
  project: everywhere,
  group: ['minimal', ...everywhere, 'owner'],
} as const
