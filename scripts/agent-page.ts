// Writes docs/reference/agent.md from the agent's tables of settings: `npm run docs:agent`. A test compares the page with them.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { agentCommands } from '../src/apps/agent/agent.ts';
import { tableMarkdown } from '../src/apps/agent/table.ts';
import { improvementDocs } from '../src/core/proxy/index.ts';

const head = `# Agent

\`fairway agent\` stands beside every Envoy, in pods and on VMs; built into one file it is \`pilot-agent\`. Flags, environment and paths are those of Istio's agent, so an
injected container starts either. Flags win over the environment, the environment over defaults; unknown flags are tolerated; an environment variable that cannot be read is
logged, and its default holds. This page is made by \`npm run docs:agent\`.

## Exit codes

\`proxy\` leaves with 0 where the agent ended Envoy, and with Envoy's own status where Envoy ended by itself: its code, 128+n for a signal, 127 where it cannot be started. 2: flags,
environment or configuration are wrong, and nothing was started; every problem is in the log. 69: the status port is taken, another agent runs a proxy in the same folder, or \`wait\` ran out of time. 70: an error of the agent itself before Envoy ran; later ones are logged, and Envoy goes on. \`istio-iptables\` leaves with 1 where flags or rules do not fit
and nothing was changed, with 126 where the validation finds no redirect. With \`--compat istio\` every other failure of the agent is 255.

## Improvements

What it does otherwise than Istio's agent. Each can be left out by name (\`--without\`), all together by \`--compat istio\`.

| name | what it does |
|---|---|
`;

const status = `## Status port

Port 15020, or \`statusPort\` of ProxyConfig; 0 turns it off.

| path | who | answer |
|---|---|---|
| \`/healthz/ready\` | anyone | 200 once Envoy has its configuration and is live; 503 with the reason before, and from SIGTERM on; \`/drain\` does not change it |
| \`/metrics\`, \`/stats/prometheus\` | anyone, or this machine with \`METRICS_LOCALHOST_ACCESS_ONLY\` | the agent's, Envoy's and the application's metrics, one after the other, as gzip or zstd where asked |
| \`/app-health/…\`, \`/app-lifecycle/…\` | anyone | the application's own probe or hook, repeated at the application from 127.0.0.6 |
| \`POST /drain\` | this machine | drains inbound and keeps listening until SIGTERM: a native sidecar's preStop |
| \`POST /quitquitquit\` | this machine | ends Envoy at once: a job is done |
| \`/debug/ndsz\` | this machine | the DNS proxy's table of names as JSON; 404 where there is none |
`;

/** The page as it must be. */
export function agentPage(): string {
  const rows = Object.entries(improvementDocs).map(([name, doc]) => `| \`${name}\` | ${doc} |`);
  const commands = Object.values(agentCommands).map(({ usage, doc, table }) => {
    const settings = Object.keys(table).length === 0 ? '' : `\n\n${tableMarkdown(table)}`;
    return `### ${usage.replaceAll('|', ', ')}\n\n${doc}.${settings}`;
  });
  return `${head}${rows.join('\n')}\n\n${status}\n## Commands\n\n${commands.join('\n\n')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(new URL('../docs/reference/agent.md', import.meta.url), agentPage());
