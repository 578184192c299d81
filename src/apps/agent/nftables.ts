// `istio-iptables --native-nftables`: the same interception by `nft` alone, in one transaction that replaces whatever its tables held. Also the clean-up of such
// tables, whoever asks for it.
import { nftRemoval, nftTablesIn } from '../../core/intercept/index.ts';
import type { Host } from '../../ports/host.ts';
import type { IptablesSettings } from './iptables-settings.ts';
import type { Log } from './log.ts';

interface NftRun {
  readonly host: Host;
  readonly log: Log;
  readonly settings: IptablesSettings;
}

/** False: nothing was changed, and why is in the log. */
export async function applyNft({ host, log, settings }: NftRun, text: string): Promise<boolean> {
  if (settings.dryRun) {
    host.print(`# nft -f -\n${text.trimEnd()}`);
    return true;
  }
  const { status, stderr } = await host.processes.run('nft', ['-f', '-'], text);
  const hint = status === 127 ? { hint: 'this image has no nft: leave --native-nftables out' } : {};
  if (status !== 0) log('error', 'a command failed', { command: 'nft -f -', status, problem: stderr.trim(), ...hint });
  return status === 0;
}

/** Tables of Istio's interception; without `nft` here there are none. */
export async function nftTablesOf(host: Host): Promise<readonly string[]> {
  const { status, stdout } = await host.processes.run('nft', ['list', 'tables']);
  return status === 0 ? nftTablesIn(stdout) : [];
}

/** Takes those tables away. */
export async function removeNftTables(run: NftRun): Promise<boolean> {
  return (await nftTablesOf(run.host)).length === 0 || applyNft(run, nftRemoval);
}
