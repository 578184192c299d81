#!/usr/bin/env bash
# The GitHub Action: plans rollouts.yml against the merge base and keeps one comment of the pull request current. All inputs come
# as environment variables, never as text in a script, so that a file name cannot become a command. Ends with 0 where something
# moves or nothing does, with 2 where a file is invalid.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
base=${BASE:-}
if [ -z "$base" ]; then
  git fetch --quiet --no-tags origin "$GITHUB_BASE_REF"
  base=$(git merge-base FETCH_HEAD HEAD)
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
node "$here/scripts/with-node.mjs" "$here/src/cli/main.ts" "${args[@]}" >"$work/plan.md" 2>"$work/log" || status=$?
cat "$work/log" >&2
if [ ! -s "$work/plan.md" ]; then
  { printf '<!-- fairway plan -->\n### Fairway plan\n\nNo plan: a file is invalid.\n\n```text\n'; head -c 30000 "$work/log"; printf '```\n'; } >"$work/plan.md"
fi
cat "$work/plan.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
[ "$status" -ne 1 ] || echo 'moves=true' >>"${GITHUB_OUTPUT:-/dev/null}"

if [ "${COMMENT:-true}" = true ] && [ -n "${PULL_REQUEST:-}" ]; then
  comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
  own=$(gh api --paginate "$comments" --jq '.[] | select(.body | startswith("<!-- fairway plan -->")) | .id' | head -n 1)
  if [ -n "$own" ]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$own" --field "body=@$work/plan.md"
  else
    gh api --silent --method POST "$comments" --field "body=@$work/plan.md"
  fi
fi

[ "$status" -le 1 ] || exit "$status"
