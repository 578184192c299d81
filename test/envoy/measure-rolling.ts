// `npm run measure:rolling [-- --updates 20 --order classic|native]`: so many rolling updates in a row under 200 requests a second, and what
// was lost. The exit status is 1 where anything was, or where fewer than 1,000 requests an update were sent.
import { parseArgs } from 'node:util';
import { rollUpdates } from './rolling.ts';

const { values } = parseArgs({
  options: { updates: { type: 'string', default: '20' }, order: { type: 'string', default: 'classic' } },
});
const updates = Number(values.updates);
const { order } = values;
if (!(Number.isInteger(updates) && updates > 0) || (order !== 'classic' && order !== 'native')) {
  process.stderr.write('--updates wants a number of 1 or more, --order classic or native\n');
  process.exit(2);
}
const requestsAnUpdate = 1000;

const ends: (() => unknown)[] = [];
try {
  const { sent, lost, seconds, exits } = await rollUpdates(
    { after: (end) => void ends.unshift(end as () => unknown) },
    { orders: Array.from({ length: updates + 1 }, () => order), timing: 'kubelet', perSecond: 200 },
  );
  const failed = exits.app.filter((code) => code !== 0).length;
  process.stdout.write(
    `${updates} updates, ${order}, in ${Math.round(seconds)} s: ${lost.length} of ${sent} requests lost, ${failed} of ${exits.app.length} last calls not answered\n`,
  );
  for (const each of lost) process.stdout.write(`lost after ${each}\n`);
  if (lost.length + failed > 0 || sent < updates * requestsAnUpdate) process.exitCode = 1;
} finally {
  for (const end of ends) await end();
}
