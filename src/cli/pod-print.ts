// How a run is shown: lines of containers with a prefix, changes and events of pods, and with -o the pods' objects.
import type { Observer } from '../apps/pod-runner/index.ts';
import type { Pod } from '../core/pod/index.ts';
import { apiObject, columnsOf } from '../sim/pod/index.ts';
import type { Io } from './io.ts';
import { printData } from './print.ts';
import { yamlText } from './yaml-text.ts';

export interface PrintFlags {
  readonly output?: 'yaml' | 'json' | undefined;
  readonly watch: boolean;
  readonly quiet: boolean;
}

export interface PodPrinter extends Observer {
  /** Prints the objects at the end, when they were asked for and not watched. */
  end(pods: readonly Pod[]): Promise<void>;
}

/** Objects are data and then containers' lines are talk; without -o the lines are the data. */
export function podPrinter(io: Io, { output, watch, quiet }: PrintFlags): PodPrinter {
  const lines = output === undefined ? io.stdout : io.stderr;
  const shown = new Map<string, string>();
  const say = (text: string) => {
    if (!quiet) io.stderr.write(`${text}\n`);
  };
  return {
    onLine: (pod, { container, text }) => lines.write(`${pod.metadata.name}/${container} | ${text}\n`),
    onEffect(pod, effect) {
      const { name } = pod.metadata;
      if (effect.kind === 'event') {
        say(
          `${name}: ${effect.reason}${effect.container === undefined ? '' : ` (${effect.container})`}: ${effect.message}`,
        );
        return;
      }
      if (watch && output !== undefined) writeObject(io, output, effect.pod);
      const summary = effect.type === 'DELETED' ? 'deleted' : summaryOf(effect.pod);
      if (shown.get(name) !== summary) say(`${name}: ${summary}`);
      shown.set(name, summary);
    },
    async end(pods) {
      if (output === undefined || watch) return;
      const objects = pods.map(apiObject);
      await printData(
        io,
        output,
        objects.length === 1 ? objects[0] : { apiVersion: 'v1', kind: 'List', items: objects },
      );
    },
  };
}

function summaryOf(pod: Pod): string {
  const { ready, status, restarts } = columnsOf(pod);
  return `${status}, ${ready} ready${restarts > 0 ? `, ${restarts} restarts` : ''}`;
}

/** One document or one line an object, so that a reader can follow. */
function writeObject(io: Io, output: 'yaml' | 'json', pod: Pod): void {
  if (output === 'json') io.stdout.write(`${JSON.stringify(apiObject(pod))}\n`);
  else io.stdout.write(`---\n${yamlText(apiObject(pod))}`);
}
