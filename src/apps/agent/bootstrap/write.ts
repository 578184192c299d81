// Writes what Envoy and proxyless gRPC start with, and takes away what the agent made when Envoy has ended.
import { defaultBootstrap, grpcBootstrap, grpcFiles, renderBootstrap } from '../../../core/bootstrap/index.ts';
import { GoTemplateError } from '../../../core/gotemplate/index.ts';
import type { Host } from '../../../ports/host.ts';
import type { Env } from '../plan.ts';
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

interface Grpc {
  /** Empty: none is written. */
  readonly path: string;
  readonly xdsSocket: string;
  readonly certificatesFolder: string;
}

/** What went wrong; undefined: proxyless gRPC can start once its certificates are there. */
export function writeGrpcBootstrap({ node }: Settled, grpc: Grpc, host: Host): string | undefined {
  if (grpc.path === '') return undefined;
  return host.files.write(grpc.path, JSON.stringify(grpcBootstrap({ node, ...grpc }), undefined, 2));
}

/** Why proxyless gRPC cannot start yet; undefined: it can, or nobody wants to. */
export function grpcProblem(path: string, host: Host): string | undefined {
  if (path === '') return undefined;
  const text = host.files.read(path);
  const files = text === undefined ? undefined : grpcFiles(text);
  if (files === undefined) return `cannot read the bootstrap of gRPC: ${path}`;
  const missing = files.find((file) => !host.files.exists(file));
  return missing === undefined ? undefined : `${missing} is not there yet`;
}
