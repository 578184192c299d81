// What one stream of ADS has asked for, in both variants, and what it is to be sent: pure. `nonce` is the caller's counter.
import { encode, type Message, readMessage } from '../../src/core/wire/index.ts';
import type { Variant } from '../../src/core/xds-proxy/index.ts';
import type { Resource } from './resources.ts';

export interface Versioned extends Resource {
  readonly version: string;
}

/** What a client says about the last response of a type. */
export interface Acknowledgement {
  readonly typeUrl: string;
  readonly nonce: string;
  /** Undefined: taken. */
  readonly error: string | undefined;
}

export interface Request {
  readonly typeUrl: string;
  readonly acknowledgement: Acknowledgement | undefined;
  /** A subscription that is new or changed. */
  readonly asks: boolean;
}

export interface Subscriptions {
  readonly read: (bytes: Uint8Array) => Request | undefined;
  /** What the client does not have yet; undefined: nothing, and an answer was not asked for. */
  readonly response: (typeUrl: string, known: readonly Versioned[], nonce: string) => Uint8Array | undefined;
}

interface Subscription {
  names: Set<string>;
  wildcard: boolean;
  /** Versions by name that were sent. */
  sent: Map<string, string>;
}

export function subscriptions(variant: Variant): Subscriptions {
  const all = new Map<string, Subscription>();
  return {
    read: (bytes) => {
      const message = readMessage(bytes);
      return message === undefined ? undefined : requestIn(variant, message, all);
    },
    response: (typeUrl, known, nonce) => {
      const subscription = all.get(typeUrl);
      if (subscription === undefined) return undefined;
      const wanted = known.filter(({ name }) => subscription.wildcard || subscription.names.has(name));
      const answer = variant === 'sotw' ? wholeState : differences;
      return answer(subscription, { typeUrl, wanted, nonce });
    },
  };
}

const fields = { sotw: { type: 4, nonce: 5, error: 6 }, delta: { type: 2, nonce: 6, error: 7 } } as const;

function requestIn(variant: Variant, message: Message, all: Map<string, Subscription>): Request {
  const at = fields[variant];
  const typeUrl = message.text(at.type);
  const isNew = !all.has(typeUrl);
  const subscription = all.get(typeUrl) ?? { names: new Set(), wildcard: false, sent: new Map() };
  all.set(typeUrl, subscription);
  const asks = (variant === 'sotw' ? subscribeAll : subscribeMore)(subscription, message, isNew);
  const nonce = message.text(at.nonce);
  const error = message.bytes(at.error) === undefined ? undefined : message.message(at.error)?.text(2);
  return { typeUrl, asks, acknowledgement: nonce === '' ? undefined : { typeUrl, nonce, error } };
}

function subscribeAll(subscription: Subscription, message: Message, isNew: boolean): boolean {
  const names = new Set(message.texts(3));
  const isSame = names.size === subscription.names.size && [...names].every((name) => subscription.names.has(name));
  subscription.names = names;
  subscription.wildcard = names.size === 0;
  return isNew || !isSame;
}

function subscribeMore(subscription: Subscription, message: Message, isNew: boolean): boolean {
  const more = message.texts(3);
  for (const name of more) subscription.names.add(name);
  for (const name of message.texts(4)) {
    subscription.names.delete(name);
    subscription.sent.delete(name);
  }
  if (isNew) subscription.wildcard = more.length === 0 || more.includes('*');
  for (const entry of message.all(5)) {
    const version = readMessage(entry);
    subscription.sent.set(version?.text(1) ?? '', version?.text(2) ?? '');
  }
  // A name that is asked for again was forgotten by its client.
  for (const name of more) if (!isNew) subscription.sent.delete(name);
  return isNew || more.length > 0;
}

interface Answer {
  readonly typeUrl: string;
  readonly wanted: readonly Versioned[];
  readonly nonce: string;
}

function wholeState(subscription: Subscription, { typeUrl, wanted, nonce }: Answer): Uint8Array {
  subscription.sent = new Map(wanted.map(({ name, version }) => [name, version]));
  const resources = wanted.map(({ any }) => [2, any] as const);
  return encode([1, nonce], ...resources, [4, typeUrl], [5, nonce]);
}

function differences({ sent, names }: Subscription, { typeUrl, wanted, nonce }: Answer): Uint8Array | undefined {
  const changed = wanted.filter(({ name, version }) => sent.get(name) !== version);
  const here = new Set(wanted.map(({ name }) => name));
  const gone = [...new Set([...sent.keys(), ...names])].filter((name) => name !== '*' && !here.has(name));
  for (const { name, version } of changed) sent.set(name, version);
  for (const name of gone) sent.delete(name);
  const resources = changed.map(({ name, version, any }) => [2, encode([1, version], [2, any], [3, name])] as const);
  const removed = gone.map((name) => [6, name] as const);
  return encode([1, nonce], ...resources, [4, typeUrl], [5, nonce], ...removed);
}
