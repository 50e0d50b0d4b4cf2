//! What the layer was given, and what is to be passed on of it.

use bytes::Bytes;
use http::HeaderMap;
use http_body::Frame;
use search_gate::PageReader;

use crate::support::answer::trailers;

/// What came before the request's time was up.
#[derive(Debug, Default)]
pub(crate) struct Given {
    pub(crate) frames: Vec<Frame<Bytes>>,
    /// The last thing: an error, the time being up, or a clean end.
    pub(crate) last: Option<Last>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    Failure,
    Timeout,
    End,
}

impl Given {
    pub(crate) fn data(&self) -> Vec<u8> {
        let data = self.frames.iter().filter_map(Frame::data_ref);
        data.flatten().copied().collect()
    }

    /// What is to be passed on: the page without its ads, or as it came; then whatever follows its trailers.
    pub(crate) fn passed_on(&self, throttled: bool) -> Vec<Result<Vec<u8>, HeaderMap>> {
        let mut frames = self.frames.iter();
        let mut reader = PageReader::new().pass_html(!throttled);
        let mut out = vec![Ok(Vec::new())];
        for frame in frames.by_ref() {
            if let Some(data) = frame.data_ref() {
                reader.feed(data.clone());
                if throttled {
                    append(&mut out, data);
                }
                continue;
            }
            reader.end();
            break;
        }
        reader.end();
        while let Some(html) = reader.next_html() {
            append(&mut out, &html);
        }
        let ended = self.frames.iter().position(Frame::is_trailers);
        for frame in self.frames.iter().skip(ended.unwrap_or(usize::MAX)) {
            match frame.data_ref() {
                Some(data) => append(&mut out, data),
                None => out.extend([Err(trailers()), Ok(Vec::new())]),
            }
        }
        out
    }
}

pub(crate) fn append(out: &mut [Result<Vec<u8>, HeaderMap>], data: &[u8]) {
    if let Some(Ok(bytes)) = out.last_mut() {
        bytes.extend_from_slice(data);
    }
}
