// Draws a chart as SVG: plain shapes and text, no script, no font but the reader's. Same chart, same bytes.
import { formatDuration } from '../../../core/std/duration.ts';
import type { Chart, Lane, Mark, Span, Tone } from './chart.ts';

const width = 1120;
const margin = 16;
const top = 64;
const laneHeight = 58;
const barTop = 14;
const barHeight = 22;
const axisHeight = 34;
const legendHeight = 34;

const fills: Readonly<Record<Tone, string>> = {
  pending: '#c9ced6',
  running: '#5b8fd1',
  succeeded: '#5b8fd1',
  failed: '#5b8fd1',
  ready: '#2f9e62',
  starting: '#b9d0ee',
  waiting: 'url(#hatch)',
  hook: '#8a63b8',
  cut: '#d9822b',
  success: '#2f9e62',
  failure: '#cc3d3d',
};
const phaseFills: Readonly<Record<string, string>> = {
  Pending: '#c9ced6',
  Running: '#5b8fd1',
  Succeeded: '#2f9e62',
  Failed: '#cc3d3d',
};

/** The picture of a chart. */
export function svgOf(chart: Chart): string {
  const scale = scaleOf(chart);
  const bottom = top + chart.lanes.length * laneHeight;
  const height = bottom + axisHeight + legendHeight;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif" font-size="12">`,
    `<title>${escaped(`The life of ${chart.title}`)}</title>`,
    '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" fill="#f4efe2"/><rect width="2" height="6" fill="#d8c48f"/></pattern></defs>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${margin}" y="26" font-size="16" font-weight="600" fill="#1f2933">${escaped(chart.title)}</text>`,
    ...axis(chart, scale, bottom),
    ...chart.lanes.flatMap((lane, index) => laneShapes(lane, top + index * laneHeight, scale)),
    ...lines(chart, scale, bottom),
    ...legend(bottom + axisHeight),
    '</svg>',
    '',
  ].join('\n');
}

interface Scale {
  readonly left: number;
  readonly x: (ms: number) => number;
}

function scaleOf(chart: Chart): Scale {
  const longest = Math.max(...chart.lanes.map(({ name }) => name.length));
  const left = Math.min(300, Math.max(96, longest * 8 + 2 * margin));
  const perMs = (width - left - 2 * margin - 24) / chart.toMs;
  return { left, x: (ms) => round(left + ms * perMs) };
}

const steps = [
  100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000,
];

function axis(chart: Chart, { x, left }: Scale, bottom: number): readonly string[] {
  const step = steps.find((candidate) => chart.toMs / candidate <= 14) ?? 7_200_000;
  const ticks = Array.from({ length: Math.floor(chart.toMs / step) + 1 }, (_, index) => index * step);
  return [
    ...ticks.map((ms) => `<path d="M${x(ms)} ${top - 6}V${bottom}" stroke="#e6e9ee"/>`),
    ...ticks.map(
      (ms) =>
        `<text x="${x(ms)}" y="${bottom + 18}" text-anchor="middle" fill="#66707c" font-size="11">${formatDuration(ms)}</text>`,
    ),
    `<path d="M${left} ${bottom}H${width - margin}" stroke="#b5bcc6"/>`,
  ];
}

function laneShapes(lane: Lane, y: number, scale: Scale): readonly string[] {
  const centre = y + barTop + barHeight / 2;
  return [
    `<path d="M${margin} ${y}H${width - margin}" stroke="#eef0f3"/>`,
    `<text x="${margin}" y="${centre + 1}" font-weight="600" fill="#1f2933">${escaped(lane.name)}</text>`,
    ...(lane.role === 'pod'
      ? []
      : [`<text x="${margin}" y="${centre + 15}" font-size="10" fill="#66707c">${lane.role}</text>`]),
    ...lane.bars.map((bar) => barShape(lane, bar, y + barTop, scale)),
    ...lane.ready.map((span) => rect(span, { y: y + barTop + barHeight + 2, height: 5, fill: fills.ready }, scale)),
    ...lane.hooks.flatMap((hook) => hookShape(hook, y + barTop, scale)),
    ...probeShapes(lane.probes, y + barTop - 4, scale),
    ...signalShapes(lane.signals, y + barTop, scale),
  ];
}

interface Box {
  readonly y: number;
  readonly height: number;
  readonly fill: string;
}

function rect(span: Span, { y, height, fill }: Box, { x }: Scale): string {
  return `<rect x="${x(span.fromMs)}" y="${y}" width="${Math.max(1.5, round(x(span.toMs) - x(span.fromMs)))}" height="${height}" rx="2" fill="${fill}"/>`;
}

function barShape(lane: Lane, bar: Span, y: number, scale: Scale): string {
  const fill = lane.role === 'pod' ? (phaseFills[bar.label] ?? fills[bar.tone]) : fills[bar.tone];
  const shape = rect(bar, { y, height: barHeight, fill }, scale);
  const room = scale.x(bar.toMs) - scale.x(bar.fromMs);
  const inside = lane.role === 'pod' || bar.tone === 'waiting';
  if (bar.label === '') return shape;
  if (inside)
    return room < textWidth(bar.label) + 12
      ? shape
      : `${shape}${text(scale.x(bar.fromMs) + 6, y + 15, bar.label, bar.tone === 'waiting' || bar.label === 'Pending' ? '#3c4550' : '#ffffff')}`;
  return `${shape}${exitBadge(scale.x(bar.toMs), y, bar)}`;
}

/** The exit code at the end of a run, as a flag. */
function exitBadge(x: number, y: number, bar: Span): string {
  const fill = bar.label === '0' ? fills.success : fills.failure;
  const badge = bar.label.length * 7 + 7;
  return `<rect x="${x}" y="${y}" width="2" height="${barHeight}" fill="${fill}"/><rect x="${x}" y="${y + 3}" width="${badge}" height="16" rx="2" fill="${fill}"/>${text(x + 4, y + 15, bar.label, '#ffffff', 11)}`;
}

function hookShape(hook: Span, y: number, scale: Scale): readonly string[] {
  const room = scale.x(hook.toMs) - scale.x(hook.fromMs);
  const shape = rect(hook, { y: y + 4, height: barHeight - 8, fill: fills[hook.tone] }, scale);
  return room < textWidth(hook.label) + 10
    ? [shape]
    : [shape, text(scale.x(hook.fromMs) + 5, y + 15, hook.label, '#ffffff', 11)];
}

/** Startup, liveness and readiness probes are ticks above the bar; what would not be seen apart is drawn once. */
function probeShapes(probes: readonly Mark[], y: number, scale: Scale): readonly string[] {
  const drawn = new Set<string>();
  return probes.flatMap(({ atMs, tone, label }) => {
    const key = `${Math.round(scale.x(atMs) / 3)} ${tone} ${label}`;
    if (drawn.has(key)) return [];
    drawn.add(key);
    const height = tone === 'success' ? 4 : 7;
    return [`<rect x="${scale.x(atMs)}" y="${y + 3 - height}" width="1.6" height="${height}" fill="${fills[tone]}"/>`];
  });
}

function signalShapes(signals: readonly Mark[], y: number, scale: Scale): readonly string[] {
  return signals.map(({ atMs, label, tone }) => {
    const x = scale.x(atMs);
    const side = x > width - 44 ? ({ anchor: 'end', dx: -4 } as const) : ({ anchor: 'start', dx: 4 } as const);
    return `<path d="M${x} ${y - 2}V${y + barHeight + 12}" stroke="${fills[tone]}" stroke-width="1.6"/><text x="${round(x + side.dx)}" y="${y + barHeight + 17}" text-anchor="${side.anchor}" font-size="10" font-weight="600" fill="${fills[tone]}">${escaped(label)}</text>`;
  });
}

/** What happened to the pod; labels that would overlap go to a second row. */
function lines(chart: Chart, { x }: Scale, bottom: number): readonly string[] {
  const ends = [0, 0];
  return chart.lines.flatMap(({ atMs, label, tone }) => {
    const at = x(atMs);
    const short = label.length > 60 ? `${label.slice(0, 59)}…` : label;
    const room = short.length * 6.2;
    const from = Math.min(at, width - margin - room);
    const row = from > (ends[0] ?? 0) ? 0 : 1;
    ends[row] = from + room + 8;
    const stroke = tone === 'failure' ? fills.failure : '#3c4550';
    return [
      `<path d="M${at} ${top - 8}V${bottom}" stroke="${stroke}" stroke-dasharray="4 3"/>`,
      `<text x="${round(from)}" y="${top - 12 - row * 13}" font-size="11" fill="${stroke}">${escaped(short)}</text>`,
    ];
  });
}

const legendItems: readonly (readonly [fill: string, label: string])[] = [
  [fills.running, 'runs'],
  [fills.starting, 'runs, not yet started'],
  [fills.waiting, 'waits'],
  [fills.hook, 'hook'],
  [fills.cut, 'hook cut short, signal'],
  [fills.ready, 'ready; probe succeeds; exit 0'],
  [fills.failure, 'probe fails; KILL; exit not 0'],
];

function legend(y: number): readonly string[] {
  let x = margin;
  return legendItems.flatMap(([fill, label]) => {
    const at = x;
    x += label.length * 6.4 + 34;
    return [
      `<rect x="${round(at)}" y="${y + 4}" width="12" height="12" rx="2" fill="${fill}"/>`,
      text(round(at) + 17, y + 14, label, '#66707c', 11),
    ];
  });
}

// oxlint-disable-next-line eslint/max-params -- place, words and looks of a text
function text(x: number, y: number, label: string, fill: string, size = 12): string {
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}" fill="${fill}">${escaped(label)}</text>`;
}

/** About how wide a label of 12 px is: fonts differ. */
function textWidth(label: string): number {
  return label.length * 7.2;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
