//! The ready client over TLS: the system's certificates are trusted, and HTTP/2 is spoken where the server can.
//!
//! The certificate was made with
//! `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj "/CN=search-gate test" -addext subjectAltName=DNS:localhost
//! -addext basicConstraints=critical,CA:FALSE`.

use std::{convert::Infallible, path::Path, sync::Arc};

use http::{Request, Response, Version, header::CONTENT_TYPE};
use http_body_util::Full;
use hyper::{
    body::{Bytes, Incoming},
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use search_gate::testing::ResultPage;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::{Ran, example, run};

fn file(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/examples/tls")
        .join(name)
}

/// Serves a page that names the version of HTTP that it was asked in. The URL is of `localhost`.
async fn serve(protocol: &'static str) -> String {
    let certificate = CertificateDer::from_pem_file(file("certificate.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(file("key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth();
    let mut config = config.with_single_cert(vec![certificate], key).unwrap();
    config.alpn_protocols = vec![protocol.into()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!(
        "https://localhost:{}",
        listener.local_addr().unwrap().port()
    );
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // Who does not trust the certificate goes away.
            let Ok(stream) = acceptor.accept(stream).await else {
                continue;
            };
            let io = TokioIo::new(stream);
            if protocol == "h2" {
                let connection = http2::Builder::new(TokioExecutor::new());
                tokio::spawn(connection.serve_connection(io, service_fn(answer)));
            } else {
                let connection = http1::Builder::new();
                tokio::spawn(connection.serve_connection(io, service_fn(answer)));
            }
        }
    });
    url
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let version = match request.version() {
        Version::HTTP_2 => "version two",
        _ => "version one",
    };
    let mut response = Response::new(Full::from(ResultPage::new(version).to_html()));
    let html = http::HeaderValue::from_static("text/html");
    response.headers_mut().insert(CONTENT_TYPE, html);
    Ok(response)
}

async fn search(url: &str, trusted: &Path) -> Ran {
    let mut command = example("search");
    command
        .env("SSL_CERT_FILE", trusted)
        .env_remove("SSL_CERT_DIR");
    run(command.args(["--lite", "--base-url", url, "tea"])).await
}

#[tokio::test]
async fn the_best_version_of_http_is_spoken_with_who_is_trusted() {
    for (protocol, title) in [("h2", "version two: "), ("http/1.1", "version one: ")] {
        let ran = search(&serve(protocol).await, &file("certificate.pem")).await;
        assert_eq!(ran.code, Some(0), "{protocol}: {}", ran.stderr);
        assert!(ran.stdout.starts_with(title), "{protocol}: {}", ran.stdout);
    }
}

#[tokio::test]
async fn a_server_that_is_not_trusted_is_not_asked() {
    // Without certificates of the system there are those of the web, and this is none of them.
    let ran = search(&serve("h2").await, Path::new("/nonexistent")).await;
    assert_eq!((ran.code, &*ran.stdout), (Some(1), ""));
    assert!(ran.stderr.contains("certificate"), "{}", ran.stderr);
}
