// `fairway pod run`: pods as real processes of this machine, or in its container runtime.
import { Command, Option } from 'commander';
import type { Io } from '../../io.ts';
import { withKubeletFlags } from '../../pod-flags.ts';
import type { RunFlags } from '../../pod-run.ts';

export function build(io: Io): Command {
  return withKubeletFlags(new Command('run'))
    .description(
      'Runs pods and Deployments as processes of this machine or by its container runtime, as a kubelet would: init containers, sidecars, probes, hooks, restarts, grace. Ends when all pods have ended; Ctrl-C deletes them with their grace, a second one ends them at once.',
    )
    .argument('[file...]', 'manifests: Pods, Deployments, ConfigMaps, Secrets; - reads standard input')
    .addOption(
      new Option('--runtime <kind>', 'process: processes of this machine; cri: containerd or another runtime of CRI v1')
        .choices(['process', 'cri'])
        .default('process'),
    )
    .option('--endpoint <url>', 'with --runtime cri: the runtime’s socket', 'unix:///run/containerd/containerd.sock')
    .option('--clean', 'with --runtime cri: remove what ended runs left, and do nothing else', false)
    .option('--image <name=folder>', 'the root file system that stands for an image; may be repeated', collect, [])
    .addOption(
      new Option('--network <kind>', 'own: each pod has its own network; host: pods share this machine’s')
        .choices(['own', 'host'])
        .default('own'),
    )
    .addOption(
      new Option('--isolation <kind>', 'namespaces: where the system allows them; groups: plain process groups')
        .choices(['namespaces', 'groups'])
        .default('namespaces'),
    )
    .addOption(
      new Option('--timing <kind>', 'kubelet: with a kubelet’s ticks and jitter; ideal: what can happen at once does')
        .choices(['kubelet', 'ideal'])
        .default('kubelet'),
    )
    .option('--logs <folder>', 'where the containers’ logs are kept, a file a run')
    .option('--socket <file>', 'where fairway pod apply, get, delete, logs and exec reach this run')
    .addOption(new Option('-o, --output <format>', 'print the pods’ objects on stdout').choices(['yaml', 'json']))
    .option('--watch', 'with -o: after each change, not at the end', false)
    .option('-q, --quiet', 'no changes and events on stderr', false)
    .action(async (files: readonly string[], flags: RunFlags) => {
      const { runPods } = await import('../../pod-run.ts');
      await runPods(files, flags, io);
    });
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
