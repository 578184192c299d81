#!/usr/bin/env bash
# The GitHub Action: plans rollouts.yml against the merge base and keeps one comment of the pull request current. All inputs come
# as environment variables, never as text in a script, so that a file name cannot become a command. Ends with 0 where something
# moves or nothing does, with 2 where a file or an input is invalid. A comment that cannot be written is a notice, no failure.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
summary=${GITHUB_STEP_SUMMARY:-/dev/null}

refuse() {
  printf '::error title=Fairway plan::%s\n' "$1"
  exit 2
}

# The usual checkout has one commit: a merge base needs the history of both sides.
merge_base() {
  local depth=()
  [ "$(git rev-parse --is-shallow-repository)" = false ] || depth=(--unshallow)
  git fetch --quiet --no-tags "${depth[@]}" origin "+refs/heads/$GITHUB_BASE_REF:refs/fairway/base" "$(git rev-parse HEAD)" ||
    git fetch --quiet --no-tags origin "+refs/heads/$GITHUB_BASE_REF:refs/fairway/base" || return
  git merge-base refs/fairway/base HEAD
}

known() { git rev-parse --verify --quiet --end-of-options "$1^{commit}" >/dev/null; }

base=${BASE:-}
if [ -n "$base" ]; then
  case $base in -*) refuse "base is no revision: $base" ;; esac
  if ! known "$base"; then
    git fetch --quiet --no-tags --depth 1 origin "$base" || refuse "there is no base $base"
    base=$(git rev-parse FETCH_HEAD)
  fi
elif [ -z "${GITHUB_BASE_REF:-}" ]; then
  refuse 'not a pull request: give the input base, for example HEAD^ (with fetch-depth: 2)'
else
  base=$(merge_base) || refuse "no merge base with $GITHUB_BASE_REF: check out with fetch-depth: 0"
fi

args=(plan --from "$base:./$ROLLOUTS" --to "$ROLLOUTS" -o markdown)
if ! git cat-file -e "$base:./$ROLLOUTS" 2>/dev/null; then args=(plan --from none --to "$ROLLOUTS" -o markdown); fi
[ -z "${SNAPSHOT:-}" ] || args+=(--snapshot "$SNAPSHOT")
[ -z "${NAMESPACES:-}" ] || args+=(--namespaces "$NAMESPACES")
[ "${STRICT:-false}" != true ] || args+=(--strict)
if [ -n "${MANIFESTS:-}" ]; then
  read -r -a manifests <<<"$MANIFESTS"
  args+=(--manifests "${manifests[@]}")
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
env -u GH_TOKEN node "$here/scripts/with-node.mjs" "$here/src/cli/main.ts" "${args[@]}" >"$work/plan.md" 2>"$work/log" || status=$?
cat "$work/log" >&2
if [ ! -s "$work/plan.md" ]; then
  # The log quotes the file, which may be a stranger's: it must not close its own fence.
  { printf '<!-- fairway plan -->\n### Fairway plan\n\nNo plan: a file is invalid.\n\n```text\n'; head -c 30000 "$work/log" | sed 's/```/` ` `/g'; printf '\n```\n'; } >"$work/plan.md"
fi
head -c 1000000 "$work/plan.md" >>"$summary"
[ "$status" -ne 1 ] || echo 'moves=true' >>"${GITHUB_OUTPUT:-/dev/null}"

# GitHub takes 65,536 characters a comment.
if [ "$(wc -c <"$work/plan.md")" -gt 60000 ]; then
  { head -c 60000 "$work/plan.md" | sed '$d'; printf "\n\nCut here; all of it is in the job's summary.\n"; } >"$work/cut.md"
  mv "$work/cut.md" "$work/plan.md"
fi

comment() {
  local comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" all own
  all=$(gh api --paginate "$comments" --jq '.[] | select(.body | startswith("<!-- fairway plan -->")) | .id') || return
  own=${all%%$'\n'*}
  if [ -n "$own" ]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$own" --field "body=@$work/plan.md"
  else
    gh api --silent --method POST "$comments" --field "body=@$work/plan.md"
  fi
}

if [ "${COMMENT:-true}" = true ] && [ -n "${PULL_REQUEST:-}" ] && ! comment; then
  echo "::notice title=Fairway plan::The comment could not be written (a pull request from a fork has a token that may only read): the plan is in the job's summary."
fi

[ "$status" -le 1 ] || exit "$status"
