// The admission server: brings rules, certificate, caches and routes together, tells when it is ready, and drains.
import { X509Certificate } from 'node:crypto';
import type { Knowledge, ReadRules } from '../../core/admission/index.ts';
import type { Compat } from '../../core/inject/index.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { type Caches, startCaches, unknownOwners } from './caches.ts';
import { type ClusterVersion, followVersion } from './cluster-version.ts';
import { startEvents } from './events.ts';
import { type KeptIn, startFirstSights } from './first-sights.ts';
import { followFiles } from './follow-files.ts';
import { followRules, type RulePorts } from './follow-rules.ts';
import { serveHealth } from './health.ts';
import { injectRoute } from './inject-route.ts';
import { followInjectors, type InjectorConfigs } from './injector-configs.ts';
import { krisprRoute } from './krispr-route.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { proxyLifecycle } from './proxy-lifecycle.ts';
import { answerRequest, type Route } from './routes.ts';
import { type Certificate, type Listener, listen } from './server.ts';

export interface AdmissionPorts extends RulePorts {
  readonly certificate: () => Promise<Certificate>;
  /** Absent: nothing is known of owners and injectors, and so only forced and retired labels move. */
  readonly cluster?: Cluster | undefined;
  readonly pause: (ms: number) => Promise<void>;
  /** Called once, when everything is there and before the server says so: what reading it left is then in no review's way. */
  readonly collectGarbage?: () => void;
  /** Where first sights of owners outlive the server; absent: they do not. */
  readonly keepSights?: KeptIn | undefined;
  /** Revisions whose pods are injected, from the ConfigMaps of their injectors. */
  readonly inject?: { readonly revisions: readonly string[]; readonly compat: Compat };
}

export interface AdmissionSettings {
  readonly listen: { readonly host?: string; readonly port: number };
  readonly metrics: { readonly host?: string; readonly port: number };
  /** This replica's name, in Events. */
  readonly instance: string;
  /** How often files are looked at. */
  readonly pollMs: number;
  /** How long it serves on after it said that it is not ready. */
  readonly drainDelayMs: number;
  /** How long requests may then take to finish. */
  readonly drainDeadlineMs: number;
}

export interface RunningAdmission {
  readonly port: number;
  readonly metricsPort: number;
  readonly isReady: () => boolean;
  readonly drain: () => Promise<void>;
}

/** Starts the server; it listens at once and is ready when everything it needs is there. Rejects where files are unusable; then nothing of it goes on. */
export async function serveAdmission(settings: AdmissionSettings, ports: AdmissionPorts): Promise<RunningAdmission> {
  const { log, cluster } = ports;
  const state: State = {
    draining: false,
    tidied: false,
    rules: undefined,
    caches: undefined,
    version: cluster === undefined ? undefined : followVersion(cluster, log),
    injectors: undefined,
    listener: undefined,
  };
  const parts: Part[] = state.version === undefined ? [] : [state.version];
  const stop = async (): Promise<void> => {
    for (const part of parts) await part.stop();
  };
  const isReady = (): boolean => !state.draining && isTidy(state, ports);
  const world = { settings, ports, metrics: createMetrics() };
  try {
    await followCluster(state, parts, world);
    const health = await serveHealth(settings.metrics, world.metrics, isReady);
    parts.push({ stop: health.close });
    parts.push(await serveRoutes(state, parts, world));
    const drain = async (): Promise<void> => {
      log.info({}, 'draining');
      await drainListener(state, settings, ports.pause);
      await stop();
      log.info({}, 'drained');
    };
    return { port: listenerOf(state).port, metricsPort: health.port, isReady, drain };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What has to end with the server. */
interface Part {
  readonly stop: () => Promise<void> | void;
}

/** Rules, and what is known of the cluster. */
async function followCluster(state: State, parts: Part[], { settings, ports, metrics }: World): Promise<void> {
  const { cluster, log, nowMs, keepSights } = ports;
  const rules = await followRules({ ports, metrics, pollMs: settings.pollMs }, async (read) => {
    state.rules = read;
    await state.caches?.followKinds(read.fleet.kinds);
  });
  parts.push(rules);
  if (cluster === undefined) return;
  const sights = startFirstSights({ cluster, nowMs, log }, keepSights);
  state.caches = startCaches({ cluster, log, metrics, firstSight: sights.of });
  parts.push(state.caches, sights);
  await state.caches.followKinds(state.rules?.fleet.kinds ?? []);
}

/** Listens as soon as there is a certificate. */
async function serveRoutes(state: State, parts: Part[], world: World): Promise<Part> {
  const { ports, metrics } = world;
  const routes = [krispr(state, world), ...injection(state, ports)];
  if (state.injectors !== undefined) parts.push(state.injectors);
  const onError = (error: unknown): void => ports.log.error({ error: String(error) }, 'a request failed');
  const answering = { routes, metrics, isDraining: () => state.draining, onError };
  return followCertificate(state, world, (request, response) => answerRequest(request, response, answering));
}

function isComplete({ rules, listener, caches, injectors }: State): boolean {
  return rules !== undefined && listener !== undefined && (caches?.synced() ?? true) && (injectors?.ready() ?? true);
}

/** Everything is there, and what reading it left is gone. */
function isTidy(state: State, { collectGarbage }: AdmissionPorts): boolean {
  if (!isComplete(state)) return false;
  if (!state.tidied) collectGarbage?.();
  state.tidied = true;
  return true;
}

/** First everybody is told, then the port closes, once nobody new should come. */
async function drainListener(
  state: State,
  { drainDelayMs, drainDeadlineMs }: AdmissionSettings,
  pause: AdmissionPorts['pause'],
): Promise<void> {
  state.draining = true;
  await pause(drainDelayMs);
  await state.listener?.close(drainDeadlineMs);
}

interface State {
  draining: boolean;
  tidied: boolean;
  rules: ReadRules | undefined;
  caches: Caches | undefined;
  readonly version: ClusterVersion | undefined;
  injectors: InjectorConfigs | undefined;
  listener: Listener | undefined;
}

interface World {
  readonly settings: AdmissionSettings;
  readonly ports: AdmissionPorts;
  readonly metrics: Metrics;
}

function krispr(state: State, { settings, ports, metrics }: World): Route {
  const { cluster, nowMs, log } = ports;
  const events = cluster === undefined ? undefined : startEvents({ cluster, nowMs, instance: settings.instance, log });
  return krisprRoute({
    knowledge: () => knowledgeOf(state),
    nowMs,
    metrics,
    log,
    warn: (warning) => events?.warn(warning),
  });
}

function knowledgeOf({ caches, rules, version }: State): Knowledge {
  if (rules === undefined) throw new Error('no rules');
  const { shutdownGuard: settings, kubernetesMinor } = rules.fleet;
  const injects = caches?.injects ?? (() => false);
  return {
    rules: rules.rules,
    served: caches?.served(),
    facts: caches?.facts ?? unknownOwners,
    namespaceLabels: (namespace) => caches?.namespaceLabels(namespace),
    guard:
      settings === undefined ? undefined : { settings, injects, kubernetesMinor: version?.minor() ?? kubernetesMinor },
  };
}

function injection(state: State, { cluster, inject, log }: AdmissionPorts): readonly Route[] {
  if (cluster === undefined || inject === undefined || inject.revisions.length === 0) return [];
  const configs = followInjectors(cluster, inject.revisions, log);
  state.injectors = configs;
  const lifecycle = proxyLifecycle({ rules: () => state.rules, minor: () => state.version?.minor() });
  return [
    injectRoute({
      injectorOf: configs.of,
      native: configs.native,
      proxyConfigs: configs.proxyConfigs,
      compat: inject.compat,
      lifecycle,
      log,
    }),
  ];
}

async function followCertificate(
  state: State,
  { settings, ports, metrics }: World,
  onRequest: Parameters<typeof listen>[0]['onRequest'],
) {
  const { log } = ports;
  return followFiles({
    read: ports.certificate,
    everyMs: settings.pollMs,
    onError: (error) => log.error({ error: String(error) }, 'the certificate cannot be used; the last good one stays'),
    use: async (certificate) => {
      if (state.listener === undefined)
        state.listener = await listen({
          host: settings.listen.host,
          port: settings.listen.port,
          certificate,
          onRequest,
        });
      else state.listener.useCertificate(certificate);
      const { validTo, serialNumber } = new X509Certificate(certificate.cert);
      metrics.certificateEnd.set(Date.parse(validTo) / 1000);
      log.info({ serialNumber, validTo }, 'certificate in use');
    },
  });
}

function listenerOf({ listener }: State): Listener {
  if (listener === undefined) throw new Error('not listening');
  return listener;
}
