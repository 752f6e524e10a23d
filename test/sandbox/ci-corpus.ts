/** Provides configurations such as projects have, each with the verdict of an instance. */

/** Removes the indentation of the first line from all lines. */
const toYaml = (parts: TemplateStringsArray): string => {
  const text = (parts.raw[0] ?? '').replace(/^\n/, '').replace(/\n *$/, '\n')
  const indent = /^ */.exec(text)?.[0] ?? ''
  return text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
}

type NamedConfigurations = Readonly<Record<string, string>>

export const languages: NamedConfigurations = {
  'a Python package, with the usual coverage': toYaml`
    image: python:3.12-slim
    stages: [lint, test, publish]
    variables:
      PIP_CACHE_DIR: $CI_PROJECT_DIR/.pip
    cache:
      key: $CI_COMMIT_REF_SLUG
      paths: [.pip/]
    style:
      stage: lint
      script:
        - pip install ruff
        - ruff check src
    unit:
      stage: test
      coverage: '/(?i)total.*? (100(?:\.0+)?\%|[1-9]?\d(?:\.\d+)?\%)$/'
      script:
        - pip install -e .[dev]
        - pytest --cov --junitxml=out.xml
      artifacts:
        when: always
        expire_in: 1 week
        reports:
          junit: out.xml
          coverage_report: {coverage_format: cobertura, path: coverage.xml}
    upload:
      stage: publish
      script: twine upload dist/*
      rules:
        - if: $CI_COMMIT_TAG =~ /^v\d+\.\d+\.\d+$/
  `,
  'a Node application with a cache by lock file': toYaml`
    default:
      image: node:22
      cache:
        key:
          files: [package-lock.json, .nvmrc]
          prefix: npm
        paths: [node_modules/]
        policy: pull
      retry:
        max: 2
        when: [runner_system_failure, stuck_or_timeout_failure]
        exit_codes: [137]
    install:
      stage: build
      script: npm ci
      cache:
        key: {files: [package-lock.json]}
        paths: [node_modules/]
        policy: pull-push
    test:
      needs: [install]
      script: [npm test]
      coverage: /All files[^|]*\|[^|]*\s+([\d\.]+)/
      parallel:
        matrix:
          - SUITE: [unit, browser]
            NODE: ['20', '22']
  `,
  'a Go service with a matrix and its jobs by name': toYaml`
    stages: [build, test]
    compile:
      stage: build
      parallel: 2
      script: go build ./...
    race:
      stage: test
      needs: ['compile 1/2']
      script: go test -race ./...
    vet:
      stage: test
      needs:
        - job: compile
          artifacts: false
      script: go vet ./...
  `,
  'a Rust crate that is cached per branch': toYaml`
    variables: {CARGO_HOME: "$CI_PROJECT_DIR/.cargo", DEBUG: 0, LTO: true}
    check:
      image: {name: 'rust:1.80', entrypoint: ['']}
      cache:
        - key: cargo-$CI_COMMIT_REF_SLUG
          paths: [.cargo/registry]
          fallback_keys: [cargo-main]
        - key: target
          paths: [target/]
          when: always
      script:
        - rustup component add clippy
        - cargo clippy -- -D warnings
  `,
  'a Java build with services': toYaml`
    integration:
      image: maven:3-eclipse-temurin-21
      services:
        - postgres:16
        - name: redis:7
          alias: cache
          command: [redis-server, --save, '']
          variables: {ALLOW_EMPTY: 'yes'}
      variables:
        POSTGRES_PASSWORD: {value: example, expand: false}
        EMPTY:
      timeout: 1h 30m
      tags: [docker, "linux"]
      script:
        - mvn -B verify
  `,
  'a C library that is built in containers of its own': toYaml`
    .build: &build
      stage: build
      before_script: [apt-get update, [apt-get install -y cmake]]
      script:
        - cmake -B out
        - cmake --build out
      artifacts: {paths: [out/], exclude: ['out/**/*.o'], expire_in: never}
    gcc:
      <<: *build
      image: gcc:14
    clang:
      <<: *build
      image: silkeh/clang:18
  `,
  'a static site': toYaml`
    pages:
      image: alpine
      script:
        - mkdir public
        - cp -r site/* public/
      artifacts: {paths: [public]}
      only: [main]
  `,
  'a Terraform module': toYaml`
    variables:
      TF_STATE: {value: default, description: which state, options: [default, blue]}
    plan:
      stage: build
      script: terraform plan -out p
      resource_group: tf/$TF_STATE
      artifacts:
        paths: [p]
        reports: {terraform: plan.json}
    apply:
      stage: deploy
      needs: [plan]
      script: terraform apply p
      environment: {name: production/$TF_STATE, deployment_tier: production}
      when: manual
      allow_failure: false
  `,
  'a container image': toYaml`
    image-build:
      image: docker:27
      services: [docker:27-dind]
      before_script:
        - echo "$REGISTRY_PASSWORD" | docker login -u "$REGISTRY_USER" --password-stdin
      script:
        - docker build -t "$REGISTRY/app:$CI_COMMIT_SHORT_SHA" .
      retry: 2
      interruptible: true
      secrets:
        REGISTRY_PASSWORD: {vault: ci/registry/password}
      id_tokens: {ID: {aud: https://vault.example}}
  `,
}

export const pipelines: NamedConfigurations = {
  'expressions with inline flags, both forms of named groups and a slash': toYaml`
    a:
      script: make
      rules:
        - if: '$CI_COMMIT_MESSAGE =~ /(?i)\[skip deploy\]/'
          when: never
        - if: '$CI_COMMIT_BRANCH =~ /^(?P<kind>feature|fix)\/(?<name>.+)$/i'
        - if: $CI_COMMIT_REF_NAME !~ /^release\/\d{4}$/ && ($A == "x" || $B != null)
  `,
  'a job that overrides what a template brings': toYaml`
    include:
      - template: Security/SAST.gitlab-ci.yml
    sast:
      variables: {SCAN_DEPTH: '3'}
      stage: quality
    unit:
      stage: quality
      needs: [sast, from-the-template]
      dependencies: [sast]
      extends: .shared
      script: !reference [.shared, script]
  `,
  'nothing but remote files': toYaml`
    include:
      - https://files.example/base.yml
      - remote: https://files.example/more.yml
      - component: $CI_SERVER_FQDN/tools/lint/check@1.2
        inputs: {stage: test}
  `,
  'no needs at all, with dependencies': toYaml`
    stages: [build, test]
    compile: {stage: build, script: make}
    run:
      stage: test
      needs: []
      dependencies: [compile]
      script: make run
  `,
  'a review application that stops by itself': toYaml`
    review:
      stage: deploy
      script: ./up
      environment:
        name: review/$CI_COMMIT_REF_SLUG
        url: https://$CI_COMMIT_REF_SLUG.app.example
        on_stop: stop-review
        auto_stop_in: $STOP_AFTER
    stop-review:
      stage: deploy
      script: ./down
      environment: {name: review/$CI_COMMIT_REF_SLUG, action: stop}
      when: manual
  `,
  'a delayed roll-out': toYaml`
    canary: {stage: deploy, script: ./roll 10}
    rest:
      stage: deploy
      script: ./roll 100
      when: delayed
      start_in: 2 hours and 30 minutes
    later:
      script: ./roll 1
      rules: [{if: $SLOW, when: delayed, start_in: 1 day}, {when: on_success, allow_failure: true}]
  `,
  'a pipeline of pipelines': toYaml`
    generate:
      stage: build
      script: ./make-config > child.yml
      artifacts: {paths: [child.yml]}
    child:
      stage: test
      trigger:
        include:
          - artifact: child.yml
            job: generate
        strategy: depend
        forward: {pipeline_variables: true}
    downstream:
      stage: deploy
      trigger: {project: platform/deploy, branch: main}
      variables: {UPSTREAM: $CI_PIPELINE_ID}
    mirrored:
      needs: {pipeline: platform/app}
  `,
  'a workflow that names its pipelines': toYaml`
    workflow:
      name: $TITLE
      auto_cancel: {on_new_commit: interruptible}
      rules:
        - if: $CI_PIPELINE_SOURCE == 'merge_request_event'
          variables: {TITLE: merge request}
          auto_cancel: {on_new_commit: none}
        - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
        - when: never
    a: {script: x}
  `,
  'rules by files': toYaml`
    docs:
      script: make docs
      rules:
        - changes: [docs/**/*, '*.md']
        - changes: {paths: [theme/*], compare_to: refs/heads/main}
          when: manual
        - exists: [mkdocs.yml]
          variables: {STRICT: 'true'}
          needs: []
          interruptible: true
  `,
  'only and except of old': toYaml`
    a:
      script: x
      only:
        refs: [branches, /^issue-.*$/, '/^v\d/@platform/app']
        variables: [$DEPLOY == "staging", $FLAG]
        changes: [Dockerfile]
        kubernetes: active
      except: [tags, schedules]
  `,
  'references into references': toYaml`
    .a: {script: [one, two]}
    .b: {script: [!reference [.a, script], three], rules: [{if: $X}]}
    c:
      script:
        - !reference [.b, script]
        - four
      rules:
        - !reference [.b, rules]
        - when: manual
          allow_failure: true
  `,
  'hidden jobs may be anything': toYaml`
    .later: todo
    .list: [a, b]
    .number: 1
    a: {script: x}
  `,
  'many uses of one anchor': `.x: &x {image: alpine, script: make}\n${Array.from({ length: 300 }, (_, i) => `job-${i}: {<<: *x, stage: test}\n`).join('')}`,
  'a release': toYaml`
    ship:
      script: echo ship
      release:
        tag_name: v$VERSION
        description: ./CHANGES.md
        milestones: [m1]
        released_at: '2026-01-02T03:04:05Z'
        assets: {links: [{name: bin, url: https://files.example/bin}]}
  `,
  'a job of steps': toYaml`
    a:
      run:
        - name: say
          script: echo hello
  `,
  'words that mean true': toYaml`
    a:
      script: [x]
      interruptible: yes
      allow_failure: on
      artifacts: {untracked: off, public: no, paths: [y]}
  `,
  'nested scripts of ten levels': `a:\n  script: ${'['.repeat(10)}x${']'.repeat(10)}\n`,
  'settings that a job does not inherit': toYaml`
    default: {tags: [x], before_script: [y], hooks: {pre_get_sources_script: [z]}}
    a:
      inherit: {default: [tags], variables: false}
      allow_failure: {exit_codes: [3, 4]}
      script: x
  `,
  'a stage before all and one after': toYaml`
    first: {stage: .pre, script: x}
    last: {stage: .post, script: y, dependencies: [first]}
  `,
  'a file with inputs': toYaml`
    spec:
      inputs:
        stage: {default: test}
        name: {default: unit}
        tags: {type: array, default: [docker]}
    ---
    stages:
      - $[[ inputs.stage ]]
      - last
    "$[[ inputs.name ]]-job":
      stage: $[[ inputs.stage ]]
      tags: $[[ inputs.tags ]]
      script: echo $[[ inputs.name | expand_vars ]]
    after: {stage: last, script: x, needs: [unit-job]}
  `,
  'several files for one trigger': toYaml`
    a:
      trigger:
        include:
          - local: /a.yml
          - {project: platform/ci, file: b.yml, ref: main}
          - template: C.gitlab-ci.yml
  `,
}

const scripted = 'a:\n  script: x\n'
const whens = 'on_success, on_failure, always, manual, delayed'

export const invalid: readonly (readonly [string, string, readonly string[]])[] = [
  ['an empty script', 'a: {script: []}\n', ["jobs:a script can't be blank"]],
  ['a blank script', 'a: {script: ""}\n', ["jobs:a script can't be blank"]],
  ['no script after all', 'a: {script: }\n', ["jobs:a script can't be blank"]],
  [
    'a script of eleven levels',
    `a:\n  script: ${'['.repeat(11)}x${']'.repeat(11)}\n`,
    ['jobs:a:script config should be a string or a nested array of strings up to 10 levels deep'],
  ],
  [
    'references of more than ten levels',
    `.l0: {script: [x]}\n${Array.from({ length: 11 }, (_, i) => `.l${i + 1}: {script: [!reference [.l${i}, script]]}\n`).join('')}a: {script: [!reference [.l10, script]]}\n`,
    ['!reference [".l0","script"] is nested too deep'],
  ],
  [
    'references in a circle',
    '.x: {script: [!reference [.y, script]]}\n.y: {script: [!reference [.x, script]]}\na: {script: [z]}\n',
    [
      '!reference [".y","script"] is part of a circular chain',
      '!reference [".x","script"] is part of a circular chain',
    ],
  ],
  ['a numeric name', '12: {script: x}\n', ['jobs:12 name should be a symbol']],
  ['a reserved name', 'true: {script: x}\n', ['jobs:true config name is reserved or blank']],
  [
    'needs as a text',
    `${scripted}  needs: b\n`,
    ['jobs:a:needs config can only be a hash or an array'],
  ],
  [
    'a need of no kind',
    `${scripted}  needs: [[3]]\n`,
    ['jobs:a:needs:need has an unsupported type'],
  ],
  [
    'dependencies outside needs',
    'a: {stage: build, script: x}\nb: {stage: build, script: x}\nc: {script: x, needs: [a], dependencies: [b]}\n',
    ['jobs:c dependencies the b should be part of needs'],
  ],
  [
    'dependencies of a later stage',
    `${scripted}  dependencies: [b]\nb: {stage: deploy, script: x}\n`,
    ['a job: dependency b is not defined in current or prior stages'],
  ],
  [
    'a cache key of no files',
    `${scripted}  cache: {key: {files: []}}\n`,
    ['jobs:a:cache:key:files config requires at least 1 item'],
  ],
  [
    'a cache key of three files',
    `${scripted}  cache: {key: {files: [a, b, c]}}\n`,
    ['jobs:a:cache:key:files config has too many items (maximum is 2)'],
  ],
  [
    'a cache key that is a number',
    `${scripted}  cache: {key: 1}\n`,
    ['jobs:a:cache:key should be a hash, a string or a symbol'],
  ],
  [
    'a cache policy of no kind',
    `${scripted}  cache: {policy: fetch, paths: b}\n`,
    [
      'jobs:a:cache policy should be a variable or one of: pull-push, push, pull',
      'jobs:a:cache:paths config should be an array of strings',
    ],
  ],
  [
    'a condition that is none',
    `${scripted}  only: {variables: ['== null']}\n`,
    ['jobs:a:only variables invalid expression syntax'],
  ],
  [
    'refs with an open bracket',
    `${scripted}  only: [/(unclosed/]\n`,
    ['jobs:a:only config should be an array of strings or regular expressions using re2 syntax'],
  ],
  [
    'refs as a text',
    `${scripted}  except: main\n`,
    ['jobs:a:except has to be either an array of conditions or a hash'],
  ],
  [
    'an artifact of no job',
    'a: {trigger: {include: [{artifact: x.yml}]}}\n',
    ['jobs:a:trigger:include config must specify the job where to fetch the artifact from'],
  ],
  [
    'a trigger of no project',
    'a: {trigger: {branch: main}}\n',
    ["jobs:a:trigger project can't be blank"],
  ],
  [
    'a strategy of no kind',
    'a: {trigger: {project: g/p, strategy: wait}}\n',
    ['jobs:a:trigger strategy should be one of: depend, mirror'],
  ],
  [
    'too many files for a trigger',
    'a: {trigger: {include: [a.yml, b.yml, c.yml, d.yml]}}\n',
    ['jobs:a:trigger:include config is too long (maximum is 3)'],
  ],
  [
    'a reason that is none',
    `${scripted}  retry: {max: 1, when: bogus}\n`,
    ['jobs:a:retry when is not included in the list'],
  ],
  [
    'reasons of which one is none',
    `${scripted}  retry: {max: 3, when: [always, bogus]}\n`,
    [
      'jobs:a:retry max must be less than or equal to 2',
      'jobs:a:retry when contains unknown values: bogus',
    ],
  ],
  [
    'look-ahead',
    `${scripted}  coverage: /(?=x)\\d+/\n`,
    ['jobs:a:coverage config must be a regular expression with re2 syntax'],
  ],
  [
    'a back-reference in a condition',
    `${scripted}  rules: [{if: '$A =~ /(a)\\1/'}]\n`,
    ['jobs:a:rules:rule if invalid expression syntax'],
  ],
  [
    'an artifact name that is a number',
    'rspec:\n  script: x\n  artifacts: {name: 3, expire_in: soon, when: never}\n',
    [
      'jobs:rspec:artifacts name should be a string',
      'jobs:rspec:artifacts expire in should be a duration',
      'jobs:rspec:artifacts when should be one of: on_success, on_failure, always',
    ],
  ],
  [
    'a report of no kind',
    `${scripted}  artifacts: {reports: {jnuit: x, junit: 3}}\n`,
    [
      'jobs:a:artifacts:reports config contains unknown keys: jnuit',
      'jobs:a:artifacts:reports junit should be an array of strings or a string',
    ],
  ],
  [
    'rules with wrong words',
    `${scripted}  rules: [{if: $A, when: maybe, alow_failure: true}]\n`,
    [
      'jobs:a:rules:rule config contains unknown keys: alow_failure',
      'jobs:a:rules:rule when unknown value: maybe',
    ],
  ],
  [
    'a delay without its time',
    `${scripted}  rules: [{when: delayed}]\n`,
    ["jobs:a:rules:rule start in can't be blank"],
  ],
  [
    'an environment without name',
    `${scripted}  environment: {url: 'https://x.example', action: halt}\n`,
    [
      "jobs:a:environment name can't be blank",
      'jobs:a:environment action should be start, stop, prepare, verify, or access',
    ],
  ],
  [
    'an image without name',
    'default: {image: {entrypoint: [""]}}\na: {script: x, services: [{alias: db}]}\n',
    ["default:image name can't be blank", "jobs:a:services:service name can't be blank"],
  ],
  [
    'variables as a list',
    'variables: [A, B]\na: {script: x, variables: {C: [1]}}\n',
    [
      'variables config should be a hash of key value pairs',
      'jobs:a:variables:C variable definition must be either a string or a hash',
    ],
  ],
  [
    'too much at once',
    `${scripted}  parallel: 201\n  timeout: soon\n`,
    [
      'jobs:a:parallel config must be less than or equal to 200',
      'jobs:a:timeout config should be a duration',
    ],
  ],
  ['a word for when', `${scripted}  when: later\n`, [`jobs:a when should be one of: ${whens}`]],
  [
    'a release without words',
    `${scripted}  release: {tag_name: v1}\n`,
    ["jobs:a:release description can't be blank"],
  ],
  [
    'a job that only waits',
    `${scripted}b: {needs: [a]}\n`,
    ['jobs:b config should contain either a trigger or a needs:pipeline'],
  ],
  [
    'an input without value',
    'spec: {inputs: {stage: }}\n---\na:\n  script: x\n  stage: $[[ inputs.stage ]]\n',
    ['`stage` input: required value has not been provided'],
  ],
  ['an anchor that is not there', 'a: *b\n', ['(<unknown>): Unknown alias: b']],
]

/** Configurations with an include that is not fetched: their errors and their warnings. */
export const unseenIncludes: readonly (readonly [
  string,
  string,
  readonly string[],
  readonly string[],
])[] = [
  [
    'a typing error stays one',
    'include: {template: X.gitlab-ci.yml}\nsast: {variables: {A: 1}, artifacts: {name: 3}}\n',
    ['jobs:sast:artifacts name should be a string'],
    ['jobs:sast config should implement the script:, run:, or trigger: keyword'],
  ],
  [
    'a stage that the file itself does not name',
    'include: {remote: https://files.example/x.yml}\nstages: [one]\na: {stage: two, script: x}\n',
    ['a job: chosen stage does not exist; available stages are .pre, one, .post'],
    [],
  ],
  [
    'a stage that the include may name',
    'include: {remote: https://files.example/x.yml}\na: {stage: two, script: x, needs: [b]}\n',
    [],
    [
      'a job: chosen stage does not exist; available stages are .pre, build, test, deploy, .post',
      'a job: undefined need: b',
    ],
  ],
]
