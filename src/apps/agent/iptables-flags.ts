// What the settings of `istio-iptables` mean on this machine: whose traffic is the proxy's own, and whether DNS is led to the agent.
import type { InterceptFlags } from '../../core/intercept/index.ts';
import type { Host } from '../../ports/host.ts';
import type { IptablesSettings } from './iptables-settings.ts';

export function flagsOf(settings: IptablesSettings, host: Pick<Host, 'files'>): InterceptFlags {
  const { redirectDns, captureAllDns } = settings;
  return { ...settings, uid: proxyUids(settings, host), redirectDns: redirectDns || captureAllDns };
}

const usualUid = '1337';

/**
 * Traffic of the proxy that was led back to it would go round for ever, so there always is somebody: who is told, else ENVOY_USER as this
 * machine numbers it (on a VM the package chose the number), else 1337. Source: Istio's tools/common/config.
 */
function proxyUids({ uid, envoyUser }: IptablesSettings, { files }: Pick<Host, 'files'>): string {
  if (uid.trim() !== '') return uid;
  const users = (files.read('/etc/passwd') ?? '').split('\n').map((line) => line.split(':'));
  return users.find(([name]) => name === envoyUser)?.[2] ?? usualUid;
}
