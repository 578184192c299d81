// The commands beside `proxy`, the log, Envoy's arguments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectiveProxyConfig } from '../../core/proxy/index.ts';
import { runAgent } from './agent.ts';
import { envoyArguments } from './envoy-arguments.ts';
import { answer, fakeHost, refused } from './fake-host.ts';
import { logTo } from './log.ts';
import { type ProxySettings, proxyTable } from './settings.ts';
import { readTable } from './table.ts';

const run = (host: ReturnType<typeof fakeHost>, args: readonly string[], env = {}): Promise<number> =>
  runAgent({ args, env, host, version: '1.2.3' });

test('wait: sleeps first, looks until 200, then succeeds', async () => {
  let looks = 0;
  const host = fakeHost({ fetch: () => (looks++ < 2 ? refused : answer(200)) });
  const code = run(host, ['wait', '--periodMillis=100']);
  await host.advance(1000);
  assert.equal(await code, 0);
  assert.deepEqual(
    host.requests,
    ['100', '200', '300'].map((at) => `${at} GET 15021 /healthz/ready`),
  );
});

test('wait: not ready within the time', async () => {
  const host = fakeHost({ fetch: () => answer(503) });
  const code = run(host, ['wait', '--timeoutSeconds', '1']);
  await host.advance(2000);
  assert.equal(await code, 69);
  assert.match(host.complaints.join(), /not ready within 1 s: status 503/);
  assert.deepEqual(host.lines, []);
  assert.equal(await run(fakeHost(), ['wait', '--url', 'nowhere']), 2);
});

const requests: readonly (readonly [
  args: readonly string[],
  status: number,
  code: number,
  asked: string | undefined,
])[] = [
  [['GET', 'stats'], 200, 0, 'GET 15000 /stats'],
  [['--debug-port=15020', 'POST', '/drain'], 200, 0, 'POST 15020 /drain'],
  [['GET', 'x'], 404, 0, 'GET 15000 /x'],
  [['GET', 'x'], 500, 1, 'GET 15000 /x'],
  [['--debug-port', '123', 'POST', 'drain'], 200, 0, 'POST 123 /drain'],
  [['--debug-port', '22', 'GET', 'x'], 200, 2, undefined],
  [['GET'], 200, 2, undefined],
];
for (const [args, status, code, asked] of requests) {
  test(`request ${args.join(' ')} that is answered ${status}: ${code}`, async () => {
    const host = fakeHost({ fetch: () => answer(status, 'body') });
    assert.equal(await run(host, ['request', ...args], { PROXY_CONFIG: 'statusPort: 123' }), code);
    assert.deepEqual(host.requests, asked === undefined ? [] : [`0 ${asked}`]);
    assert.deepEqual(host.lines, code === 0 ? ['body'] : []);
    assert.equal(host.complaints.length > 0, code !== 0);
  });
}

test('request: nobody answers', async () => {
  assert.equal(await run(fakeHost({ fetch: () => refused }), ['request', 'GET', 'x']), 69);
});

const versions: readonly (readonly [args: readonly string[], printed: RegExp])[] = [
  [[], /^fairway 1\.2\.3$/],
  [['-s'], /^1\.2\.3$/],
  [['-o', 'json'], /"version": "1\.2\.3"/],
  [['--output=yaml'], /^clientVersion:\n {2}version: 1\.2\.3/],
  [['--output', 'yaml'], /^clientVersion:/],
];
for (const [args, printed] of versions) {
  test(`version ${args.join(' ')}`, async () => {
    const host = fakeHost();
    assert.equal(await run(host, ['version', ...args]), 0);
    assert.match(host.lines.join('\n'), printed);
  });
}

test('help of the agent and of its commands; an unknown command is a usage error', async () => {
  const host = fakeHost();
  assert.equal(await run(host, []), 0);
  assert.equal(await run(host, ['proxy', '--help']), 0);
  assert.equal(await run(host, ['nonsense']), 2);
  assert.match(host.lines[0] ?? '', /request METHOD PATH/);
  assert.match(host.lines[1] ?? '', /--drain-deadline, FAIRWAY_DRAIN_DEADLINE/);
  assert.match(host.complaints[0] ?? '', /no command "nonsense"/);
  assert.equal(await run(host, ['help', 'wait']), 0);
  assert.match(host.lines[2] ?? '', /--timeoutSeconds/);
  assert.equal(await run(host, ['--version']), 0);
  assert.equal(host.lines[3], 'fairway 1.2.3');
});

test('the log: text with tabs, or JSON; below its level nothing', () => {
  const host = fakeHost();
  logTo(host, { json: false, least: 'default:info' })('info', 'a message', { n: 1, list: [1, 2], text: 'two words' });
  logTo(host, { json: true, least: 'info' })('warn', 'b');
  logTo(host, { json: false, least: 'misc:debug' })('debug', 'c');
  logTo(host, { json: false, least: 'none' })('error', 'd');
  assert.deepEqual(host.lines, [
    '2001-09-09T01:46:40.000000Z\tinfo\ta message\tn=1\tlist=1,2\ttext="two words"',
    '{"level":"warn","time":"2001-09-09T01:46:40.000000Z","scope":"agent","msg":"b"}',
  ]);
});

function argumentsFor(
  given: Partial<ProxySettings>,
  yaml = '',
  addresses: readonly string[] = [],
  override?: string,
): string {
  const { values } = readTable(proxyTable, [], {});
  const { config } = effectiveProxyConfig({ environmentYaml: yaml });
  return envoyArguments({ settings: { ...values, ...given }, config, bootstrapPath: 'b', addresses, override }).join(
    ' ',
  );
}

test("Envoy's arguments", () => {
  assert.equal(
    argumentsFor({}),
    '-c b --drain-time-s 45 --drain-strategy immediate --local-address-ip-version v4 --file-flush-interval-msec 1000 --disable-hot-restart --allow-unknown-static-fields -l warning --skip-deprecated-logs',
  );
  assert.match(
    argumentsFor({ proxyLogLevel: 'info,misc:error', proxyComponentLogLevel: 'upstream:debug' }),
    /-l info --component-log-level misc:error,upstream:debug/,
  );
  assert.match(
    argumentsFor({}, 'drainDuration: 1.9s\nfileFlushInterval: 250ms\nfileFlushMinSizeKb: 64'),
    /--drain-time-s 1 .*-msec 250 .*--file-flush-min-size-kb 64/,
  );
  assert.match(argumentsFor({}, '', ['fd00::1']), /version v6/);
  assert.match(argumentsFor({}, '', ['fd00::1', '10.0.0.1']), /version v4/);
  assert.match(argumentsFor({ hostIp: 'fd00::9' }, '', [], 'a: $(HOST_IP)'), /--config-yaml a: \[fd00::9\]/);
  assert.match(
    argumentsFor({ enableCoreDump: true, skipDeprecatedLogs: false }),
    /fields -l warning --enable-core-dump$/,
  );
});

const failures: readonly (readonly [args: readonly string[], env: Readonly<Record<string, string>>, code: number])[] = [
  [['proxy', 'nonsense'], {}, 2],
  [['proxy', 'nonsense', '--compat', 'istio'], {}, 255],
  [['proxy', 'nonsense', '--compat=istio'], {}, 255],
  [['proxy', 'nonsense'], { FAIRWAY_COMPAT: 'istio' }, 255],
  [['proxy', 'nonsense', '--compat=none'], { FAIRWAY_COMPAT: 'istio' }, 2],
  [['nonsense'], { FAIRWAY_COMPAT: 'istio' }, 255],
  [['version', '-o', 'xml'], {}, 2],
  [['istio-iptables', '-b', 'x'], { FAIRWAY_COMPAT: 'istio' }, 1],
  [['version'], { FAIRWAY_COMPAT: 'istio' }, 0],
];
for (const [args, env, code] of failures) {
  test(`exit code of ${args.join(' ')} with ${JSON.stringify(env)}: ${code}`, async () => {
    assert.equal(await runAgent({ args, env, host: fakeHost(), version: '1' }), code);
  });
}
