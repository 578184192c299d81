// OUTPUT_CERTS: the workload's certificate as files, for other containers and for the next start of a VM's agent.
import { rootsName, workloadName } from '../../../core/identity/index.ts';
import type { Host } from '../../../ports/host.ts';
import type { Log } from '../log.ts';
import type { Secrets } from './secrets.ts';

export interface Output {
  readonly host: Host;
  readonly log: Log;
  readonly folder: string;
  /** In a pod its containers share them; elsewhere they are the owner's. */
  readonly mode: 0o644 | 0o600;
}

const againMs = 60_000;

export interface KeptFiles {
  /** Writes what differs now; what cannot be written (a full disk) a minute later, and so on. */
  readonly write: () => void;
  readonly end: () => void;
}

/** Files that follow the secrets: whoever reads them has no other way to learn of a renewal. */
export function keepCertificates(output: Output, secrets: Secrets): KeptFiles {
  let callOff = (): void => undefined;
  const write = (): void => {
    callOff();
    if (!writeCertificates(output, secrets)) callOff = output.host.clock.after(againMs, write);
  };
  return { write, end: () => callOff() };
}

/** Each file whole, the key first, as Istio's agent does. False: something could not be written. */
function writeCertificates({ host, log, folder, mode }: Output, secrets: Secrets): boolean {
  const pair = secrets.get(workloadName)?.secret;
  const roots = secrets.get(rootsName)?.secret;
  const files: (readonly [name: string, text: string])[] = [];
  if (pair?.kind === 'pair') files.push(['key.pem', pair.key], ['cert-chain.pem', pair.chain]);
  if (roots?.kind === 'roots') files.push(['root-cert.pem', roots.pem]);
  let isWhole = true;
  for (const [name, text] of files) {
    const path = `${folder}/${name}`;
    if (host.files.read(path) === text) continue;
    const problem = host.files.write(path, text, mode);
    if (problem === undefined) continue;
    log('error', 'cannot write a certificate file', { path, problem });
    isWhole = false;
  }
  return isWhole;
}
