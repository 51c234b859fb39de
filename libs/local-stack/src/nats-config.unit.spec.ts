import { describe, it, expect } from '@jest/globals';
import { natsConfigText, natsRoute, quoted } from './nats-config.js';

const config = {
  serverName: 'holdfast',
  host: '127.0.0.1',
  port: 20_123,
  storeFolder: '/tmp/a "b" \\c',
  syncAlways: true,
  users: [],
};

describe('the text of a NATS configuration', () => {
  it('syncs each write when asked to', () =>
    expect(natsConfigText(config)).toBe(
      [
        'server_name: "holdfast"',
        'listen: "127.0.0.1:20123"',
        'max_payload: 1048576',
        'ping_interval: "3s"',
        'ping_max: 2',
        'jetstream {',
        '  store_dir: "/tmp/a \\"b\\" \\\\c"',
        '  sync_interval: always',
        '}',
        '',
      ].join('\n'),
    ));

  it('does not say a word that an old server refuses', () =>
    expect(natsConfigText({ ...config, syncAlways: false })).not.toContain('sync_interval'));

  it('gives each user what it may do, and nothing where the list is empty', () => {
    const text = natsConfigText({
      ...config,
      users: [
        { name: 'root', password: 'p"w' },
        {
          name: 'reader',
          password: { variable: 'READER_PASSWORD' },
          permissions: { publish: [], subscribe: ['a.>', 'b'], allowResponses: true },
        },
      ],
    });
    expect(text.slice(text.indexOf('authorization'), text.indexOf('  HOLDFAST_NODES'))).toBe(
      `authorization { timeout: 30 }
accounts {
  HOLDFAST {
    jetstream: enabled
    users: [
      {
        user: "root"
        password: "p\\"w"
      }
      {
        user: "reader"
        password: $READER_PASSWORD
        permissions: {
          publish: {
            deny: [">"]
          }
          subscribe: {
            allow: [
              "a.>"
              "b"
            ]
          }
          allow_responses: {max: 1, expires: "2m"}
        }
      }
    ]
    exports: [
    ]
    imports: [
    ]
  }
`,
    );
  });

  it('keeps users who are set apart away from the streams, but for what crosses over', () => {
    const text = natsConfigText({
      ...config,
      users: [
        { name: 'service', password: 's' },
        { name: 'node', password: 'n', apart: true },
      ],
      crossings: {
        ask: [{ subject: 'q.*' }],
        pull: [{ subject: '$JS.API.X', as: 'x' }],
        answer: [{ subject: 'a.*' }],
      },
    });
    expect(text.slice(text.indexOf('    exports'), text.indexOf('  HOLDFAST_NODES'))).toBe(
      `    exports: [
      {service: "q.*"}
      {service: "$JS.API.X", response_type: stream}
    ]
    imports: [
      {service: {account: HOLDFAST_NODES, subject: "a.*"}}
    ]
  }
`,
    );
    expect(text.slice(text.indexOf('  HOLDFAST_NODES'))).toBe(
      `  HOLDFAST_NODES {
    users: [
      {
        user: "node"
        password: "n"
      }
    ]
    exports: [
      {service: "a.*"}
    ]
    imports: [
      {service: {account: HOLDFAST, subject: "q.*"}}
      {service: {account: HOLDFAST, subject: "$JS.API.X"}, to: "x"}
    ]
  }
}
`,
    );
  });

  it('joins servers that know each other by a login of their own, and names none of them to clients', () => {
    const login = { name: 'route', password: 'p@w' };
    const text = natsConfigText({
      ...config,
      serverName: { variable: 'SERVER_NAME' },
      cluster: {
        name: 'holdfast',
        listen: '127.0.0.1:20124',
        login,
        routes: [natsRoute(login, '127.0.0.1:20125'), { variable: 'THIRD_ROUTE' }],
      },
    });
    expect(text.split('\n')[0]).toBe('server_name: $SERVER_NAME');
    expect(text.slice(text.indexOf('cluster {'))).toBe(
      `cluster {
  name: "holdfast"
  listen: "127.0.0.1:20124"
  no_advertise: true
  authorization {
    user: "route"
    password: "p@w"
    timeout: 30
  }
  routes: [
    "nats-route://route:p%40w@127.0.0.1:20125"
    $THIRD_ROUTE
  ]
}
`,
    );
  });

  it('refuses what the parser could not read back', () => {
    expect(() => quoted('two\nlines')).toThrow('control character');
  });
});
