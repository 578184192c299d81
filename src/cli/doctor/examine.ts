// Connects to a cluster and examines it for `fairway doctor`.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { connect } from '../../adapters/kube/connect.ts';
import { readRules } from '../../core/admission/index.ts';
import { diagnose } from '../../core/injectors/index.ts';
import { type Problem, SpecError, UsageError } from '../../core/std/errors.ts';
import type { Io } from '../io.ts';
import { missingRollouts, readRuleFiles } from '../rule-files.ts';
import { readSnapshot } from './snapshot.ts';

export interface ExamineFlags {
  readonly config: string;
  readonly cluster?: string;
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Every finding. A folder without rollouts.yml is no reason not to look: then nothing is known to be retired. */
export async function examine(flags: ExamineFlags, io: Io): Promise<readonly Problem[]> {
  const folder = resolve(io.cwd, flags.config);
  if (!existsSync(folder))
    throw new UsageError(`there is no folder ${flags.config}`, { hint: 'name it with --config' });
  const files = await readRuleFiles(folder, flags.cluster);
  const read = missingRollouts(files, flags.cluster) === undefined ? readRules(files, flags.cluster) : undefined;
  if (read?.kind === 'invalid') throw new SpecError(read.problems);
  const { kubeconfig, context, namespace } = flags;
  const cluster = await connect({ kubeconfig, context, nowMs: io.nowMs, log: () => {} });
  try {
    return diagnose(await readSnapshot({ cluster, namespace, read: read?.value, nowMs: io.nowMs() }));
  } finally {
    cluster.close();
  }
}
