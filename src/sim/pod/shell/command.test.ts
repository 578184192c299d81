import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandActs } from './command.ts';

const refused: readonly (readonly [command: readonly string[], because: string])[] = [
  [[], 'it has no command'],
  [['/bin/server'], 'its command has the command "/bin/server"'],
  [['sh', '-c', 'nginx -g "daemon off;"'], 'its command has the command "nginx"'],
  [['sh', '-c', 'sleep 1 & wait'], 'its command has a command in the background'],
  [['sh', '-c', 'echo a | cat'], 'its command has a pipe'],
  [['sh', '-c', 'case $1 in a) ;; esac'], 'its command has an expansion that it does not understand: $1 in a)'],
  [['sh', '-c', 'sleep $N'], 'its command has a variable where a fixed word is needed'],
  [['sh', '-c', 'set -e; false'], 'its command has a "set" that changes how it fails'],
  [['sh', '-ec', 'false'], 'its command has a shell that runs something else than one -c script'],
  [['sh', '/start.sh'], 'its command has a shell that runs something else than one -c script'],
  [['sh', '-c', 'A=1 sleep 1'], 'its command has a variable set for one command'],
  [['sh', '-c', "echo 'a"], "its command has no closing '"],
  [['sh', '-c', 'if true; then sleep 1'], 'its command has no "fi" where it is due'],
  [['sh', '-c', 'echo `date`'], 'its command has backquotes'],
  [['sh', '-c', '( sleep 1 )'], 'its command has an unexpected "("'],
  [['sh', '-c', 'cat < /x'], 'its command has input from a file'],
  [['sleep', '1m30s'], 'its command has a sleep of "1m30s"'],
];

for (const [command, because] of refused) {
  test(`not understood: ${JSON.stringify(command)}`, () => {
    assert.deepEqual(commandActs(command), { kind: 'unknown', because });
  });
}

test('the words of a command are not expanded', () => {
  assert.deepEqual(commandActs(['touch', '/a b']), {
    kind: 'acts',
    acts: [{ act: 'touch', path: [{ piece: 'text', text: '/a b' }] }],
  });
});
