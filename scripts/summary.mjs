// A test reporter for pipes: only the counts. `dot` beside it prints the failures, so that a log stays short.
export default async function* summary(source) {
  const counts = new Map();
  for await (const { type, data } of source) {
    if (type !== 'test:diagnostic') continue;
    for (const [, key, count] of data.message.matchAll(/^(\w+) (\d+)/g)) counts.set(key, Number(count));
  }
  yield `\n${[...counts].map(([key, count]) => `ℹ ${key} ${count}`).join('\n')}\n`;
}
