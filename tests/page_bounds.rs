//! Each bound holds to the byte, however the page arrives.

#[path = "support/page.rs"]
mod support;

use search_gate::{Limits, PageReader, Stopped};
use support::{Read, html, read_in, row};

fn read_by(limits: Limits, page: &str, size: usize) -> Read {
    read_in(PageReader::new().limits(limits), page.as_bytes(), &[size])
}

#[test]
fn the_memory_of_the_parser_is_bounded() {
    let long = format!("<i title=\"{}\">", "x".repeat(1000));
    let page = html(&(long + &row(1)));
    for (memory, stopped) in [(500, Some(Stopped::ParserMemory)), (512 * 1024, None)] {
        let reader = PageReader::new().limits(Limits::default().parser_memory(memory));
        let read = read_in(reader, page.as_bytes(), &[100]);
        assert_eq!(read.page.stopped, stopped);
        assert!(read.html == page.as_bytes());
    }
}

#[test]
fn a_page_as_long_as_the_bound_is_read_whole() {
    let page = html(&row(1));
    let length = page.len() as u64;
    for (bound, stopped) in [(length, None), (length - 1, Some(Stopped::PageBytes))] {
        for size in [1, 1000, page.len()] {
            let read = read_by(Limits::default().page_bytes(bound), &page, size);
            assert_eq!((read.stopped, read.results.len()), (stopped, 1));
            assert!(read.html() == page);
        }
    }
}

#[test]
fn the_bound_of_a_tag_is_exact_however_the_tag_arrives() {
    let padded = |tag: &str| format!("<{tag} title=\"{}\">", "x".repeat(100));
    for tag in [
        padded("p"),
        padded("form"),
        padded("script"),
        padded("/p"),
        padded("p").replace('>', ""),
        "</div>".to_owned(),
    ] {
        let page = match &*tag {
            "</div>" => format!("<div>{tag} and text"),
            _ => format!("<b>{tag}"),
        };
        for (bound, stopped) in [(tag.len(), None), (tag.len() - 1, Some(Stopped::Tag))] {
            for size in [1, 50, page.len()] {
                let read = read_by(Limits::default().tag_bytes(bound), &page, size);
                assert_eq!(read.page.stopped, stopped, "{tag} in {size}");
                assert_eq!(read.html(), page);
            }
        }
    }
}

#[test]
fn elements_without_end_tags_are_not_open_for_ever() {
    for nothing in [
        "<br>",
        "<svg><path/><path/></svg>",
        "<img src=x>",
        "<p>a",
        "<li>a",
        "<option title=x>a",
    ] {
        let page = html(&format!(
            "<select>{}</select>{}",
            nothing.repeat(300),
            row(1)
        ));
        let read = read_by(Limits::default().depth(20), &page, page.len());
        assert_eq!(
            (read.results.len(), read.page.stopped),
            (1, None),
            "{nothing}"
        );
    }
}

#[test]
fn they_are_not_in_small_chunks_either() {
    for nothing in ["<p>", "<li>", "<tr><td>", "<!--><p>"] {
        let page = html(&format!(
            "<table>{}</table>{}",
            nothing.repeat(20_000),
            row(1)
        ));
        for size in [1, 2, 3, 7, 100, 4000, 5000, 8191, 8192, 16_384, page.len()] {
            let read = read_by(Limits::default(), &page, size);
            assert_eq!(
                (read.results.len(), read.page.stopped),
                (1, None),
                "{nothing} in {size}"
            );
        }
    }
}

#[test]
fn options_are_not_nested_deeper_than_the_bound_either() {
    let page = "<select><option>a</option></select>";
    for (depth, stopped) in [(1, Some(Stopped::Depth)), (2, None)] {
        for size in [1, page.len()] {
            let read = read_by(Limits::default().depth(depth), page, size);
            assert_eq!(read.stopped, stopped, "{depth} deep in {size}");
        }
    }
}

#[test]
fn of_one_text_node_no_more_than_four_times_its_bound_is_looked_at() {
    for (blanks, title) in [(38, "a b"), (39, "a")] {
        let node = format!("a{}b", " ".repeat(blanks));
        for page in [
            format!("<div class=result><a class=result__a href=//a.example>{node}</a>"),
            format!("<div class=result><a class=result__a href=//a.example>{node}"),
        ] {
            for size in [1, 7, 64, page.len()] {
                let read = read_by(Limits::default().text_bytes(10), &page, size);
                assert_eq!(read.results[0].title, title, "{blanks} in {size}");
            }
        }
    }
}
