// `istio-iptables --native-nftables`: the same interception by `nft` alone, in one transaction that replaces whatever its tables held. Also the clean-up of such
// tables, whoever asks for it.
import { hasNftTables, type InterceptConfig, nftRemoval, nftRules, nftText } from '../../core/intercept/index.ts';
import type { Host } from '../../ports/host.ts';
import type { IptablesSettings } from './iptables-settings.ts';
import type { Log } from './log.ts';

interface NftRun {
  readonly host: Host;
  readonly log: Log;
  readonly settings: IptablesSettings;
  readonly config: InterceptConfig;
}

/** False: nothing was changed, and why is in the log. */
export async function applyNft({ host, log, settings, config }: NftRun): Promise<boolean> {
  const text = settings.cleanupOnly ? nftRemoval : nftText(nftRules(config));
  if (settings.dryRun) {
    host.print(`# nft -f -\n${text.trimEnd()}`);
    return true;
  }
  const { status, stderr } = await host.processes.run('nft', ['-f', '-'], text);
  const hint = status === 127 ? { hint: 'this image has no nft: leave --native-nftables out' } : {};
  if (status !== 0) log('error', 'a command failed', { command: 'nft -f -', status, problem: stderr.trim(), ...hint });
  return status === 0;
}

/** Tables that another configuration left; no `nft` here is no problem. */
export async function removeNftTables(run: NftRun): Promise<boolean> {
  const { status, stdout } = await run.host.processes.run('nft', ['list', 'tables']);
  return status !== 0 || !hasNftTables(stdout) || applyNft(run);
}
