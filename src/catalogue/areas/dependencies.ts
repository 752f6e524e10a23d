/** Declares the endpoint that lists the dependencies which the scanner found. */
import { endpoint, many } from '../endpoint.js'
import { list, project } from '../params.js'
import { ArrayOf, maybe, Obj, Str, Version } from '../shapes/common.js'
import { Severity } from '../shapes/vulnerability.js'

const packageManagers = [
  'bundler',
  'composer',
  'conan',
  'go',
  'maven',
  'npm',
  'nuget',
  'pip',
  'yarn',
  'sbt',
] as const

export const Dependency = Obj(
  {
    name: Str(),
    version: Version,
    package_manager: Str(),
    dependency_file_path: Str(),
    vulnerabilities: maybe(ArrayOf(Obj({ name: Str(), severity: Severity }))),
  },
  { title: 'Dependency' },
)

export const dependencies = {
  list: endpoint('GET /projects/:id/dependencies', many(Dependency), {
    summary: 'List the dependencies of a project',
    command: 'list',
    path: { id: project() },
    params: {
      package_manager: list('enum', 'filter by package manager', {
        values: packageManagers,
        join: 'comma',
        exact: true,
      }),
    },
    columns: ['name', 'version', 'package_manager', 'dependency_file_path', 'vulnerabilities'],
    access:
      'anyone who can read the repository; vulnerabilities require access to the security dashboard',
    edition: 'ULTIMATE',
    notes: ['Lists only languages and package managers that the scanner supports.'],
  }),
} as const
