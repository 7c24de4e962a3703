// Processor time of a request with Express 5, unchanged and with a server that creates requests and responses with the
// application's own prototypes, so that app.handle() has none to change. The variants alternate, each in processes of
// its own.
import { fork } from 'node:child_process';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import express from 'express';

const rounds = 5;
const requests = 20_000;
const connections = 16;

if (process.send) serve(process.argv[2]);
else await compare();

function serve(variant) {
  const app = express();
  app.disable('x-powered-by');
  app.use((request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end('{"enabled":false}');
  });
  const server = variant === 'own classes' ? createServer(classesOf(app), app) : createServer(app);
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send({ cpuMicroseconds: user + system });
  });
}

function classesOf(app) {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  for (const [created, name] of [
    [Request, 'request'],
    [Response, 'response'],
  ]) {
    Object.setPrototypeOf(created.prototype, express[name]);
    Object.defineProperty(created.prototype, 'app', {
      configurable: true,
      enumerable: true,
      writable: true,
      value: app,
    });
    app[name] = created.prototype;
  }
  return { IncomingMessage: Request, ServerResponse: Response };
}

async function compare() {
  const microseconds = { 'as it is': [], 'own classes': [] };
  for (let round = 0; round < rounds; round += 1)
    for (const variant of Object.keys(microseconds)) microseconds[variant].push(await measure(variant));
  const pairs = microseconds['as it is'].map((each, index) => each / microseconds['own classes'][index]);
  for (const [variant, sample] of Object.entries(microseconds))
    console.log(`${variant}: ${median(sample).toFixed(1)} µs of processor time a request`);
  console.log(`ratio: ${median(pairs).toFixed(2)} (${Math.min(...pairs).toFixed(2)}–${Math.max(...pairs).toFixed(2)})`);
}

async function measure(variant) {
  const child = fork(import.meta.filename, [variant], { env: { ...process.env, NODE_ENV: 'production' } });
  const told = () => new Promise((resolve) => child.once('message', resolve));
  const { port } = await told();
  const cpu = () => {
    const response = told();
    child.send('cpu');
    return response.then(({ cpuMicroseconds }) => cpuMicroseconds);
  };
  await load(port, requests);
  const before = await cpu();
  await load(port, requests);
  const spent = (await cpu()) - before;
  child.kill();
  return spent / requests;
}

async function load(port, total) {
  const bytes = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
  let left = total;
  await Promise.all(
    Array.from(
      { length: connections },
      () =>
        new Promise((resolve, reject) => {
          const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
          socket.on('error', reject);
          socket.on('data', () => {
            left -= 1;
            if (left > 0) socket.write(bytes);
            else resolve(socket.destroy());
          });
          socket.on('close', resolve);
        }),
    ).map((done) => done.then(() => (left = Math.min(left, 0)))),
  );
}

function median(sample) {
  return sample.toSorted((a, b) => a - b)[sample.length >> 1];
}
