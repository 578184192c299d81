// A response of extensions made local: each remote module fetched, all at once, and the response written again. Where a module cannot be had
// its place is taken by a filter that lets everything through or nothing, as the extension says; the response is refused only where an extension
// cannot be read. As Istio's agent (pkg/wasm/convert.go).
import { readExtension } from '../../../core/wasm/index.ts';
import { readResponse, withResources } from '../../../core/xds-proxy/index.ts';
import type { Log } from '../log.ts';
import type { Convert } from '../xds/relay.ts';
import type { Modules } from './modules.ts';

export function extensionConverter({ get }: Pick<Modules, 'get'>, log: Log): Convert {
  return async (variant, message) => {
    const resources = readResponse(variant, message)?.resources ?? [];
    const made = await Promise.all(resources.map((each) => madeLocal(each, get, log)));
    const problems = made.filter((each) => typeof each === 'string');
    if (problems.length > 0) return { kind: 'problem', problem: problems.join('; ') };
    const local = made.filter((each) => typeof each !== 'string');
    return { kind: 'converted', message: withResources(variant, message, local) };
  };
}

/** The resource, or why it cannot be read. */
async function madeLocal(resource: Uint8Array, get: Modules['get'], log: Log): Promise<Uint8Array | string> {
  const extension = readExtension(resource);
  if (extension.kind === 'other') return resource;
  if (extension.kind === 'malformed') return extension.problem;
  const { wanted, local, without } = extension;
  const module = await get(wanted);
  if (module.kind === 'file') return local(module.path);
  const requests = without.passes ? 'pass' : 'are refused';
  log('error', 'no Wasm module', { name: wanted.resourceName, problem: module.problem, requests });
  return without.resource;
}
