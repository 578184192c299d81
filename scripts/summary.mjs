// A test reporter for pipes: failures in full, then the counts. Together with `dot` it keeps a log short.
export default async function* summary(source) {
  const counts = new Map();
  for await (const { type, data } of source) {
    if (type === 'test:fail' && data.details?.error?.failureType !== 'subtestsFailed') {
      const error = data.details.error;
      yield `\nnot ok: ${data.name} (${data.file ?? ''}:${data.line ?? ''})\n${error.cause?.stack ?? error.cause ?? error.stack}\n`;
    }
    if (type === 'test:diagnostic')
      for (const [, key, n] of data.message.matchAll(/^(\w+) (\d+)/g)) counts.set(key, Number(n));
  }
  yield `\n${[...counts].map(([key, n]) => `ℹ ${key} ${n}`).join('\n')}\n`;
}
