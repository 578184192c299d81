// Which of a machine's iptables (legacy, nftables, whatever plain `iptables` is) to read and write through. Only looks.
import { type Family, holdsInterception, parseSaved } from '../../core/intercept/index.ts';
import type { Host } from '../../ports/host.ts';

/** A variant that works here, with what its `-save` printed. */
interface Variant {
  readonly program: string;
  readonly saved: string;
}

/** The one that holds Istio's rules, else any rules: it is in use; else nftables, where the kernel has it. */
export async function iptablesOf(host: Host, family: Family, forced: string): Promise<Variant | undefined> {
  const working = await variants(host, family, forced);
  return (
    working.find(holdsOurs) ??
    working.find(({ saved }) => /^-A /m.test(saved)) ??
    working.find(({ program }) => !program.endsWith('legacy')) ??
    working[0]
  );
}

/** Every variant with rules of Istio's interception, for both families. */
export async function iptablesWithRules(host: Host): Promise<readonly string[]> {
  const found = await Promise.all((['v4', 'v6'] as const).map((family) => variants(host, family, '')));
  return found.flat().flatMap((variant) => (holdsOurs(variant) ? [variant.program] : []));
}

async function variants(host: Host, family: Family, forced: string): Promise<readonly Variant[]> {
  const base = family === 'v4' ? 'iptables' : 'ip6tables';
  const names = forced === '' ? [`${base}-legacy`, `${base}-nft`, base] : [`${base}-${forced}`];
  const working: Variant[] = [];
  for (const program of names) {
    const { status, stdout } = await host.processes.run(`${program}-save`, []);
    if (status === 0) working.push({ program, saved: stdout });
  }
  return working;
}

function holdsOurs({ saved }: Variant): boolean {
  return holdsInterception(parseSaved(saved));
}
