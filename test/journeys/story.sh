#!/usr/bin/env bash
# A working day of an administrator, against a running embedded instance (SVC_BASE_URL, SVC_TOKEN).
set -euo pipefail
export SVC_PROJECT=platform/app

step() { printf '== %s\n' "$1"; }
expect() { # <exit code> <command …>
  local wanted=$1 code=0
  shift
  "$@" >/dev/null 2>&1 || code=$?
  [[ $code == "$wanted" ]] || { printf 'exit %s instead of %s: %s\n' "$code" "$wanted" "$*"; exit 1; }
}

step 'runners: pause the offline ones from a pipe'
svcctl runners list --instance --status offline | svcctl runners pause - >/dev/null
svcctl runners list --instance -o json | jq -e '[.[] | select(.id == 2 or .id == 7) | .active] == [false, false]' >/dev/null
expect 8 svcctl runners resume 2 999
expect 2 svcctl runners disable 7 -P platform/app

step 'members: added from a file'
printf '5\n6\n' > users.txt
expect 8 svcctl members add - -P web/site --access-level reporter < users.txt
svcctl members list -P web/site -o json | jq -e '[.[] | select(.id == 5) | .access_level] == [20]' >/dev/null
svcctl members list -P platform/app --inherited -o json | jq -e 'map(.username) | index("ben") != null' >/dev/null

step 'an issue: its time tracked, its to-do made once'
svcctl issues estimate 1 3w1h -o json | jq -e '.human_time_estimate == "3w 1h"' >/dev/null
svcctl issues reset-spent 1 >/dev/null
svcctl issues spend 1 2h -o json | jq -e '.total_time_spent == 7200' >/dev/null
svcctl issues spend 1 -o json -- -1h | jq -e '.total_time_spent == 3600' >/dev/null
svcctl issues todo 1 -q >/dev/null
[[ -z $(svcctl issues todo 1 -q) ]]

step 'a commit: made, reverted, picked onto another branch'
printf 'hello\n' > hello.txt
sha=$(svcctl commits create --branch main --commit-message 'Say hello' --create hello.txt=docs/hello.txt -o json | jq -r .id)
svcctl commits get "$sha" -o json | jq -e '.title == "Say hello" and .stats.additions == 1' >/dev/null
svcctl commits cherry-pick "$sha" --branch feature/login -o json | jq -e '.title == "Say hello"' >/dev/null
svcctl commits revert "$sha" --branch main -o json | jq -e '.title | startswith("Revert")' >/dev/null
expect 1 svcctl commits revert "$sha" --branch main
svcctl events list -P platform/app --action pushed -o json |
  jq -e 'map(.push_data.commit_title) | index("Say hello") != null' >/dev/null

step 'approvals: nobody is removed unasked'
expect 2 svcctl approvals rules update 2 --user-ids 5
svcctl approvals rules update 2 --user-ids 5 --keep -o json | jq -e '[.users[].username] | index("dov") != null' >/dev/null

step 'a rebase followed to its end, and one that conflicts'
svcctl mr rebase 1 --wait -o json | jq -e '.rebase_in_progress == false and .merge_error == null' >/dev/null
expect 8 svcctl mr rebase 1 2 --wait

step 'configurations: one good, one bad'
printf 'test:\n  script: make\n' > good.yml
printf 'test:\n  stage: tset\n  script: make\n' > bad.yml
svcctl ci lint good.yml >/dev/null
expect 1 svcctl ci lint good.yml bad.yml --report junit=lint.xml
grep -q '<failure' lint.xml

step 'artifacts: fetched and unpacked'
svcctl artifacts download --ref main --job build --extract --to out -q
[[ -s out/dist/app.txt ]]

step 'settings, storage, replication'
svcctl settings update --default-project-visibility internal -o json | jq -e '.default_project_visibility == "internal"' >/dev/null
svcctl storage-move schedule projects --source-storage-name default --destination-storage-name second --yes --wait -q >/dev/null
[[ $(svcctl projects list --repository-storage default -o json) == '[]' ]]
svcctl geo nodes repair 2 >/dev/null
svcctl geo status -o json | jq -e 'length == 2' >/dev/null

step 'vulnerabilities: confirmed once, then already so'
svcctl vulnerabilities confirm 1 -o json | jq -e '.state == "confirmed"' >/dev/null
svcctl vulnerabilities confirm 1 -o json -q | jq -e '.outcome == "unchanged"' >/dev/null
svcctl dependencies list -o cyclonedx | jq -e '.bomFormat == "CycloneDX"' >/dev/null

step 'keys and integrations'
svcctl error-tracking keys create -o json | jq -e '.errsvc_dsn | startswith("http")' >/dev/null
expect 2 svcctl deploy-keys add --title k --key nonsense
expect 2 svcctl integrations update custom-issue-tracker --new-issue-url http://x.test/new
echo 'the day is done'
