/**
 * Both servers listen on every interface and have no setting for it; their passwords are public
 * knowledge. Call it before the server starts.
 *
 * @param {import('express').Application} app
 */
export function bindToLoopback(app) {
  const listen = app.listen.bind(app)
  app.listen = (port) => listen(port, '127.0.0.1')
}
