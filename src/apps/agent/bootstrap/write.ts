// Writes what Envoy and proxyless gRPC start with, and takes away what the agent made when Envoy has ended.
import { defaultBootstrap, grpcBootstrap, grpcFiles, renderBootstrap } from '../../../core/bootstrap/index.ts';
import { GoTemplateError } from '../../../core/gotemplate/index.ts';
import type { Facts } from '../../../core/proxy/index.ts';
import type { Host } from '../../../ports/host.ts';
import type { Parts } from '../parts.ts';
import type { Env, Plan } from '../plan.ts';
import type { Settled } from './settle.ts';

/** What went wrong; undefined: Envoy can start. */
export function writeBootstrap({ parameters, path, form }: Settled, env: Env, host: Host): string | undefined {
  if (form.kind === 'given') return undefined;
  const { tracer } = parameters.services;
  const token = tracer?.kind === 'lightstep' ? host.files.write(tracer.tokenFile, tracer.token, 0o600) : undefined;
  if (token !== undefined) return `the access token of lightstep: ${token}`;
  if (form.kind === 'default')
    return host.files.write(path, JSON.stringify(defaultBootstrap(parameters), undefined, 2));
  try {
    return host.files.write(path, renderBootstrap(form.text, parameters, env));
  } catch (error) {
    if (error instanceof GoTemplateError) return `the template of the bootstrap: ${error.message}`;
    throw error;
  }
}

/** A file that was given stays. */
export function removeBootstrap({ path, form }: Settled, host: Host): void {
  if (form.kind !== 'given') host.files.remove(path);
}

/** What went wrong; undefined: proxyless gRPC can start once its certificates are there. An empty path: none is written. */
export function writeGrpcBootstrap(
  { bootstrap, settings, config }: Pick<Plan, 'bootstrap' | 'settings' | 'config'>,
  host: Host,
): string | undefined {
  const { grpcBootstrapPath: path, outputCerts: certificatesFolder } = settings;
  if (path === '') return undefined;
  const made = grpcBootstrap({ node: bootstrap.node, xdsSocket: `${config.configPath}/XDS`, certificatesFolder });
  return host.files.write(path, JSON.stringify(made, undefined, 2));
}

/** What readiness asks of the agent itself, whose parts may not have started. */
export function ownFacts(plan: Plan, host: Host, parts: Pick<Parts, 'dnsTable'> | undefined): OwnFacts {
  return {
    grpcBootstrap: grpcProblem(plan.settings.grpcBootstrapPath, host),
    dnsTable: parts?.dnsTable() ?? 'missing',
  };
}

type OwnFacts = Pick<Facts, 'grpcBootstrap' | 'dnsTable'>;

/** Why proxyless gRPC cannot start yet; undefined: it can, or nobody wants to. */
function grpcProblem(path: string, host: Host): string | undefined {
  if (path === '') return undefined;
  const text = host.files.read(path);
  const files = text === undefined ? undefined : grpcFiles(text);
  if (files === undefined) return `cannot read the bootstrap of gRPC: ${path}`;
  const missing = files.find((file) => !host.files.exists(file));
  return missing === undefined ? undefined : `${missing} is not there yet`;
}
