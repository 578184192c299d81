// `fairway admission`: what runs in a cluster's admission chain, and the objects that put it there.
import { Command, InvalidArgumentError, Option } from 'commander';
import type { ManifestFlags } from '../admission-manifests.ts';
import type { Io } from '../io.ts';

export function build(io: Io): Command {
  return new Command('admission')
    .description('Krispr and the injectors in the admission chain of a cluster.')
    .addCommand(manifests(io));
}

function manifests(io: Io): Command {
  return new Command('manifests')
    .description('Prints the objects that install the admission server, for kubectl apply.')
    .requiredOption('--image <image>', 'image of fairway')
    .option('--namespace <name>', 'namespace of the server', 'fairway-system')
    .option('--replicas <n>', 'replicas of the server', wholeNumber, 2)
    .option('--config <folder>', 'folder with rollouts.yml, and fairway.yml and rollouts.lock where they exist', '.')
    .option('--inject <revision...>', 'revisions whose pods Fairway injects; none: Krispr alone', [])
    .option(
      '--default-revision <revision>',
      'which of them serves istio-injection=enabled and sidecar.istio.io/inject=true',
    )
    .option('--every-namespace', 'the default revision also serves pods that nothing asks for')
    .option('--tls-secret <name>', 'Secret (kubernetes.io/tls) with a certificate that somebody else renews')
    .option('--ca-file <file>', 'PEM roots of that certificate')
    .addOption(new Option('--only <part>', 'what to print').choices(['server', 'webhooks', 'all']).default('all'))
    .action(async (flags: ManifestFlags) => {
      const { printManifests } = await import('../admission-manifests.ts');
      await printManifests(flags, io);
    });
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('a whole number from 1 is wanted');
  return Number(text);
}
