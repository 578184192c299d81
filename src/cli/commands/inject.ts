// `fairway inject`: puts the proxy of a revision into manifests, as the admission webhook would into pods.
import { Command, Option } from 'commander';
import type { InjectFlags } from '../inject/flags.ts';
import type { Io } from '../io.ts';
import { maxBytesOption } from '../max-bytes.ts';
import { namespaceOption } from '../namespace-flag.ts';

export function build(io: Io): Command {
  return new Command('inject')
    .description('Adds the proxy of a revision to workloads and pods; other objects pass through as they are.')
    .argument('[paths...]', 'files, folders, or - for standard input')
    .option('--revision <name>', 'the revision (default: the label istio.io/rev of each pod template)')
    .option('--template <file>', 'injection templates: an injector configuration, its ConfigMap, or one template')
    .option('--values <file>', 'Helm values for the templates (default: those of the ConfigMap, else Fairway’s)')
    .option('--mesh-config <file>', 'MeshConfig, or its ConfigMap (default: Istio’s defaults)')
    .option('--proxy-image <image>', 'the proxy’s image (default: proxyImage of the revision in fairway.yml)')
    .option('--fleet <file>', 'the fleet file (default: fairway.yml, where it exists)')
    .addOption(
      new Option('--native-sidecars <yes>', 'default: by `kubernetes` of fairway.yml').choices(['true', 'false']),
    )
    .addOption(new Option('--compat <what>', 'to the letter like another injector').choices(['istio']))
    .addOption(namespaceOption('namespace of manifests that name none'))
    .addOption(new Option('-o, --output <format>', 'all documents in one format').choices(['yaml', 'json']))
    .option('--compliance-policy <name>', 'fips-140-2 or fips-140-3, for templates that know it')
    .addOption(maxBytesOption())
    .action(async (paths: readonly string[], flags: InjectFlags) => {
      const { run } = await import('../inject/run.ts');
      await run(paths, flags, io);
    });
}
