#!/usr/bin/env bash
# A change that does not get through, against a running embedded instance (SVC_BASE_URL, SVC_TOKEN).
set -euo pipefail
export SVC_PROJECT=platform/app

step() { printf '== %s\n' "$1"; }

step 'a push makes a pipeline'
cat > ci.yml <<'YAML'
stages: [build, test]
build:
  stage: build
  script: [make]
mac:
  stage: test
  script: [make check]
  tags: [macos]
  artifacts: { paths: [out] }
YAML
svcctl approvals rules update 2 --approvals-required 0 --keep >/dev/null
svcctl approvals update --approvals-before-merge 0 >/dev/null
sha=$(svcctl commits create --branch feature/auto -m 'Check on a Mac' --update ci.yml=.gitlab-ci.yml -o json | jq -r .id)
pipeline=$(svcctl commits get "$sha" -o json | jq .last_pipeline.id)
[[ $(svcctl mr get 7 -o json | jq .head_pipeline.id) == "$pipeline" ]]

step 'one of its jobs is stuck, and jobs why says what to do'
job=$(svcctl jobs list --pipeline-id "$pipeline" -o json | jq '.[] | select(.name == "mac") | .id')
svcctl jobs get "$job" --wait-until status=pending --wait-timeout 60 >/dev/null
svcctl jobs why "$job" -o json > why.json
jq -e '.reason == "the only matching runner is paused"' why.json >/dev/null
next=$(jq -r '.next[0]' why.json)
[[ $next == 'svcctl runners resume 3' ]]

step 'the runner is resumed, and the job runs'
$next >/dev/null
svcctl jobs get "$job" --wait-until status=success --wait-timeout 60 -o json | jq -e '.runner.id == 3' >/dev/null
svcctl artifacts download "$job" --extract --to out -q
[[ -s out/out/app.txt ]]

step 'the merge request that waited for it is merged'
svcctl mr get 7 --wait-until state=merged --wait-timeout 60 -o json |
  jq -e '.merge_error == null and .pipeline.status == "success"' >/dev/null
svcctl commits get main -o json | jq -e '.title | startswith("Merge branch")' >/dev/null

step 'runners are drained'
svcctl runners drain 1 3 4 --wait-timeout 60 --journal none -o json > drained.json
jq -e 'map(.active) == [false, false, false]' drained.json >/dev/null
for runner in 1 3 4; do [[ $(svcctl runners jobs "$runner" --status running -o json) == '[]' ]]; done

step 'a branch is rebased, and its pipeline waits for a runner'
svcctl mr rebase 1 --wait >/dev/null
svcctl mr get 1 -o json | jq -e '.head_pipeline.sha == .sha and .head_pipeline.status == "pending"' >/dev/null
svcctl runners resume 1 3 >/dev/null
svcctl mr get 1 --wait-until pipeline.status=success --wait-timeout 60 >/dev/null

step 'a storage is emptied'
svcctl storage-move schedule projects --source-storage-name default --destination-storage-name second --yes --wait -q >/dev/null
[[ $(svcctl projects list --repository-storage default -o json) == '[]' ]]
echo 'it got through'
