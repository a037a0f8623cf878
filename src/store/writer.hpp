// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Writing in our file conventions: columns with units, enumerations with their meanings,
/// strings as bytes + offsets, and a dimension scale on every axis. Files are made in memory,
/// so that a full disk never meets HDF5's caches; complete_file.hpp puts the bytes on disk.
/// Any HDF5 failure here is memory or a mistake of ours and throws SystemError.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "element_type.hpp"
#include "enumeration.hpp"
#include "hdf5_handle.hpp"

namespace prismllm::store {

/// Name and attributes of a dataset. `units` are UDUNITS text, "1" for plain numbers.
struct Column {
    std::string name;
    std::string units;
    std::string long_name;
    std::string flag_meanings = {};  ///< of uint8 enumerations
};

struct Compression {
    unsigned deflate_level = 6;  ///< 0: plain contiguous datasets
};

class GroupWriter {
public:
    GroupWriter(Handle group, Compression compression)
        : group_{std::move(group)}, compression_{compression} {}

    void attribute(const char* name, std::int64_t value);
    void attribute(const char* name, double value);
    void attribute(const char* name, std::string_view value);

    /// An axis that later columns of this group name. It takes no room in the file.
    void dimension(const std::string& name, std::size_t size);

    /// One dataset, row-major over the named dimensions.
    template <Element T>
    void column(const Column& column, const std::vector<std::string>& dimensions,
                std::span<const T> values) {
        write(column, dimensions, element_type<T>(), values.data(), values.size());
    }
    template <class E>
    void enumeration(const std::string& name, const std::string& long_name,
                     const std::string& dimension, std::span<const std::uint8_t> values) {
        column<std::uint8_t>({name, "1", long_name, flag_meanings<E>()}, {dimension}, values);
    }
    /// `<name>_bytes` and `<name>_offsets`: text i is bytes[offsets[i], offsets[i + 1]).
    void strings(const std::string& name, std::span<const std::string> texts);

    /// A compressed dataset whose values are written later, possibly by several processes:
    /// `chunk` is its chunk shape. Unwritten, it takes no room.
    template <Element T>
    void reserve(const Column& column, const std::vector<std::string>& dimensions,
                 const std::vector<hsize_t>& chunk) {
        reserve(column, dimensions, element_type<T>(), chunk);
    }

private:
    void write(const Column& column, const std::vector<std::string>& dimensions,
               const ElementType& type, const void* values, std::size_t count);
    void reserve(const Column& column, const std::vector<std::string>& dimensions,
                 const ElementType& type, const std::vector<hsize_t>& chunk);
    [[nodiscard]] std::vector<hsize_t> extents(const std::vector<std::string>& dimensions) const;
    void describe(const Handle& dataset, const Column& column,
                  const std::vector<std::string>& dimensions);

    struct Dimension {
        Handle scale;
        hsize_t size = 0;
    };
    Handle group_;
    Compression compression_;
    std::map<std::string, Dimension> dimensions_;
};

class FileWriter {
public:
    explicit FileWriter(Compression compression);

    /// Create group `path` ("results/ranks"), and its parents where they are missing.
    [[nodiscard]] GroupWriter group(const std::string& path);
    [[nodiscard]] GroupWriter root();
    [[nodiscard]] hid_t id() const { return file_.id(); }
    /// The file's bytes. Every group and dataset has been let go of before.
    [[nodiscard]] std::vector<std::byte> finish() &&;

private:
    QuietHdf5 quiet_;
    Compression compression_;
    Handle file_;
};

/// One value of each row: the way from structs to a column.
template <class T, class Rows, class Pick>
[[nodiscard]] std::vector<T> pick(const Rows& rows, Pick value_of) {
    std::vector<T> values;
    values.reserve(rows.size());
    for (const auto& row : rows) {
        values.push_back(static_cast<T>(value_of(row)));
    }
    return values;
}

}  // namespace prismllm::store
