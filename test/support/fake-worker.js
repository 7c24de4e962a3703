/** A worker that does as its argument says, and serves nothing. It is plain JavaScript, so that it starts at once. */
const [, , behaviour] = process.argv;

if (behaviour === 'fails') process.exit(1);
if (behaviour === 'is killed') process.kill(process.pid, 'SIGKILL');
process.on('message', (message) => {
  if (message?.type !== 'document-analysis:stop' || behaviour === 'stays') return;
  setTimeout(() => process.exit(0), 20);
});
if (behaviour === 'tells why it fails')
  process.send({ type: 'document-analysis:failure', text: 'error: The port is in use.\n' }, () => process.exit(1));
else {
  process.send({ type: 'of another library' });
  process.send('no object');
  process.send({ type: 'document-analysis:serving', port: 4321 }, () => {
    if (behaviour !== 'lingers') return;
    // The cluster module would end the process with the channel.
    process.removeAllListeners('disconnect');
    process.disconnect();
    setTimeout(() => process.exit(0), 1000);
  });
}
