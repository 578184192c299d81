// `fairway admission`: what runs in a cluster's admission chain, and the objects that put it there.
import { Command, InvalidArgumentError, Option } from 'commander';
import type { ManifestFlags } from '../admission-manifests.ts';
import type { ServeFlags } from '../admission-serve.ts';
import type { TakeOverFlags } from '../admission-take-over.ts';
import type { Io } from '../io.ts';

export function build(io: Io): Command {
  return new Command('admission')
    .description('Krispr and the injectors in the admission chain of a cluster.')
    .addCommand(manifests(io))
    .addCommand(serving(io))
    .addCommand(
      switching(
        'take-over',
        "Switches istiod's own injector of a revision off, where Fairway's stands in its place.",
        io,
      ),
    )
    .addCommand(switching('give-back', "Switches istiod's own injector of a revision on again.", io));
}

function manifests(io: Io): Command {
  return new Command('manifests')
    .description('Prints the objects that install the admission server, for kubectl apply.')
    .requiredOption('--image <image>', 'image of fairway')
    .addOption(modeOption())
    .option('--namespace <name>', 'namespace of the server alone: it goes with it', 'fairway-system')
    .option('--replicas <n>', 'replicas of the server', wholeNumber, 2)
    .option('--config <folder>', 'folder with rollouts.yml, and fairway.yml and rollouts.lock where they exist', '.')
    .option(
      '--cluster <name>',
      'which cluster of fairway.yml it is for; the same everywhere unless fairway.yml says otherwise',
    )
    .option('--inject <revision...>', 'revisions whose pods Fairway injects; none: Krispr alone', [])
    .option(
      '--default-revision <revision>',
      'which of them serves istio-injection=enabled and sidecar.istio.io/inject=true',
    )
    .option('--every-namespace', 'the default revision also serves pods that nothing asks for')
    .option('--tls-secret <name>', 'Secret (kubernetes.io/tls) with a certificate that somebody else renews')
    .option('--ca-file <file>', 'PEM roots of that certificate')
    .addOption(new Option('--only <part>', 'what to print').choices(['server', 'webhooks', 'all']).default('all'))
    .action((flags: ManifestFlags) => print(flags, io));
}

async function print(flags: ManifestFlags, io: Io): Promise<void> {
  const { printManifests } = await import('../admission-manifests.ts');
  await printManifests(flags, io);
}

function serving(io: Io): Command {
  return new Command('serve')
    .description("Serves the webhooks, or keeps the policy's tables, until SIGTERM; then drains.")
    .addOption(modeOption())
    .option(
      '--config <folder>',
      'folder with rollouts.yml, and fairway.yml and rollouts.lock where they exist; followed',
      '.',
    )
    .option('--config-map <name>', 'instead of a folder: the ConfigMap of --namespace that holds these files; followed')
    .option('--listen <address>', 'where API servers call', ':8443')
    .option('--metrics <address>', 'where /metrics, /healthz and /readyz are served', ':9090')
    .option('--namespace <name>', 'namespace of the server', 'fairway-system')
    .option('--inject <revision...>', 'revisions whose pods Fairway injects, by the ConfigMaps of their injectors', [])
    .addOption(new Option('--compat <whose>', "inject exactly as Istio's own injector does").choices(['istio']))
    .option('--tls-cert <file>', 'certificate, PEM; followed. Absent: an authority of its own, kept in a Secret')
    .option('--tls-key <file>', 'its key, PEM; followed')
    .option('--root-life <duration>', "life of the own authority's roots", '8760h')
    .option('--leaf-life <duration>', 'life of its certificates', '336h')
    .option('--kubeconfig <file>', 'how to reach the cluster; the account of the pod where there is none')
    .option('--context <name>', 'context of the kubeconfig')
    .option(
      '--cluster <name>',
      'which cluster of fairway.yml it serves; the same everywhere unless fairway.yml says otherwise',
    )
    .option('--no-cluster', 'know nothing of a cluster: only forced and retired labels move')
    .option('--drain-delay <duration>', 'how long to serve on after readiness fell', '5s')
    .option('--now-offset <duration>', 'for tests: added to the clock that ages are told by', '0s')
    .addOption(
      new Option('--log-level <level>', 'least of what is logged')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('info'),
    )
    .action(async (flags: ServeFlags) => {
      const { serve } = await import('../admission-serve.ts');
      await serve(flags, io);
    });
}

function switching(what: 'take-over' | 'give-back', description: string, io: Io): Command {
  return new Command(what)
    .description(description)
    .argument('<revision>', 'a revision, as in istio.io/rev')
    .option('--kubeconfig <file>', 'how to reach the cluster')
    .option('--context <name>', 'context of the kubeconfig')
    .action(async (revision: string, flags: TakeOverFlags) => {
      const { switchInjector } = await import('../admission-take-over.ts');
      await switchInjector(what, revision, flags, io);
    });
}

function modeOption(): Option {
  return new Option('--mode <mode>', 'who sets the label: a webhook, or a policy in the API server (1.36 and newer)')
    .choices(['webhook', 'policy'])
    .default('webhook');
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('a whole number from 1 is wanted');
  return Number(text);
}
